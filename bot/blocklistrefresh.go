package bot

import (
	"context"
	"time"
)

// configureBlocklist sets the source of the block list.
func (b *Bot) configureBlocklist() {
	if err := b.blocklist.Use(b.settings().Blocklist); err != nil {
		b.log.Warn().Err(err).Msg("cached block list not loaded")
	}
}

// followBlocklist keeps the block list up to date.
func (b *Bot) followBlocklist(ctx context.Context) error {
	retry := b.timing.blocklistRetry.Start()
	for {
		wait := time.Duration(0)
		changed, err := b.blocklist.Refresh(ctx)
		users, read := b.blocklist.Len()
		switch source := b.settings().Blocklist; {
		case ctx.Err() != nil:
			return ctx.Err()
		case source.URL == "":
		case err != nil:
			wait = min(retry.Next(), max(source.Refresh, b.timing.blocklistRetry.Initial))
			b.log.Warn().Err(err).Int("users", users).Time("read", read).Dur("retry_in", wait).Msg("block list not up to date")
		default:
			wait = source.Refresh
			retry.Reset()
			b.log.Debug().Int("users", users).Bool("changed", changed).Msg("block list up to date")
		}
		if changed {
			b.log.Info().Int("users", users).Msg("block list read")
			b.queue.notify()
		}
		if err := b.awaitBlocklistChange(ctx, wait); err != nil {
			return err
		}
	}
}

// awaitBlocklistChange waits until the list is due for a refresh, or its source has
// changed; if wait is 0, only for the latter.
func (b *Bot) awaitBlocklistChange(ctx context.Context, wait time.Duration) error {
	var due <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-due:
	case <-b.blocklistChanged:
		b.configureBlocklist()
	}
	return nil
}
