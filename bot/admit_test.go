package bot

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// New games do not wait for a slow engine longer than they must.
func TestRun_EngineNotReady(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("rival", lichesstest.Idle())
	r.start(func(b *Bot) {
		b.timing.engineWait = 50 * time.Millisecond
		b.opts.AwaitEngine = func(ctx context.Context) error {
			<-ctx.Done()
			if b.Slots().Games > 0 {
				t.Error("a game began too early")
			}
			return ctx.Err()
		}
	})
	r.begin("rival", blitz)
}

// Without games in progress, an engine that cannot be used ends the bot at once.
func TestRun_EngineUnusable(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	missing := errors.New("no such program")
	b := r.start(func(b *Bot) {
		b.timing.engineWait = time.Hour
		b.opts.AwaitEngine = func(context.Context) error { return missing }
	})
	if err := b.wait(); !errors.Is(err, missing) {
		t.Errorf("Run returned %v, want %v", err, missing)
	}
}
