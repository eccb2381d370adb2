package bot

import (
	"context"

	"github.com/zhbot/zhbot/bot/record"
)

// save archives a game. One that the disk refuses waits in the archive until
// writeLater has written it.
func (b *Bot) save(g *record.Game) error {
	err := b.opts.Archive.Save(g)
	if err != nil {
		select {
		case b.archivePending <- struct{}{}:
		default: // known
		}
	}
	return err
}

// flushArchive writes the games that the disk has refused, once it takes them
// again. At the end of the program the archive tries once more by itself.
func (b *Bot) flushArchive(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-b.archivePending:
		}
		next := b.timing.diskRetry.start()
		for {
			if err := sleep(ctx, next.NextBackOff()); err != nil {
				return err
			}
			if b.opts.Archive.Flush() == nil {
				b.log.Info().Msg("games that waited for the disk are archived")
				break
			}
		}
	}
}
