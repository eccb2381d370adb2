package bot

import (
	"context"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/retry"
)

// flushedArchive is an archive whose pending games flushArchive writes.
type flushedArchive struct {
	Archive
	pending chan<- struct{}
}

func (a flushedArchive) Save(g *record.Game) error {
	err := a.Archive.Save(g)
	if err != nil {
		signal(a.pending)
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
