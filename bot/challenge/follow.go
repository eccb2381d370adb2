package challenge

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
)

// Follower keeps a block list up to date.
type Follower struct {
	List     *Blocklist
	Source   func() BlockSource // the current one
	Changed  <-chan struct{}    // the source may have changed
	OnUpdate func()             // called when the list has changed
	Retry    *event.Backoff     // between tries to read the list
	Log      zerolog.Logger
}

// Configure sets the source of the list.
func (f *Follower) Configure() {
	if err := f.List.Use(f.Source()); err != nil {
		f.Log.Warn().Err(err).Msg("cached block list not loaded")
	}
}

// Run keeps the list up to date until the context ends.
func (f *Follower) Run(ctx context.Context) error {
	waits := f.Retry.Start()
	for {
		wait := time.Duration(0)
		changed, err := f.List.Refresh(ctx)
		users, read := f.List.Len()
		switch source := f.Source(); {
		case ctx.Err() != nil:
			return ctx.Err()
		case source.URL == "":
		case err != nil:
			wait = min(waits.Next(), max(source.Refresh, f.Retry.Initial))
			f.Log.Warn().Err(err).Int("users", users).Time("read", read).Stringer("retry_in", wait.Round(time.Millisecond)).Msg("block list not up to date")
		default:
			wait = source.Refresh
			waits.Reset()
			f.Log.Debug().Int("users", users).Bool("changed", changed).Msg("block list up to date")
		}
		if changed {
			f.Log.Info().Int("users", users).Msg("block list read")
			f.OnUpdate()
		}
		if err := f.awaitChange(ctx, wait); err != nil {
			return err
		}
	}
}

// awaitChange waits until the list is due for a refresh, or its source has changed;
// if wait is 0, only for the latter.
func (f *Follower) awaitChange(ctx context.Context, wait time.Duration) error {
	var due <-chan time.Time
	if wait > 0 {
		due = time.After(wait)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-due:
	case <-f.Changed:
		f.Configure()
	}
	return nil
}
