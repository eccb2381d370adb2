package bot

import (
	"context"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/retry"
)

// save archives a game. If the disk fails, the game stays pending in the archive
// until flushArchive has written it.
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

// flushArchive writes pending games once the disk works again. At exit the archive
// itself tries once more.
func (b *Bot) flushArchive(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-b.archivePending:
		}
		next := b.timing.diskRetry.Start()
		for {
			if err := retry.Sleep(ctx, next.Next()); err != nil {
				return err
			}
			if b.opts.Archive.Flush() == nil {
				b.log.Info().Msg("pending games archived")
				break
			}
		}
	}
}
