package bot

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// New games do not wait for a slow engine longer than they must, and its name is shown.
func TestRun_EngineNotReady(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("rival", lichesstest.Idle())
		b := r.start(func(b *Bot) {
			b.opts.Program = func() string { return "slow" }
			b.opts.AwaitEngine = func(ctx context.Context) error {
				<-ctx.Done()
				if b.Slots().Games > 0 {
					t.Error("a game began too early")
				}
				return ctx.Err()
			}
		})
		time.Sleep(engineWait - time.Second)
		r.begin("rival", blitz)
		if program := b.Status().Program; program != "slow" {
			t.Errorf("searched by %q", program)
		}
	})
}

// Without games in progress, an engine that cannot be used ends the bot at once.
func TestRun_EngineUnusable(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		missing := errors.New("no such program")
		b := r.start(func(b *Bot) {
			b.opts.AwaitEngine = func(context.Context) error { return missing }
		})
		if err := b.wait(); !errors.Is(err, missing) {
			t.Errorf("Run returned %v, want %v", err, missing)
		}
	})
}

// A bot whose engine cannot be used drains as any other.
func TestBot_DrainsWithoutEngine(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		before := r.start(nil)
		o := r.challengeAsHuman(withColor(blitz, "white"))
		before.halt()
		bot := r.start(func(b *Bot) {
			b.opts.AwaitEngine = func(context.Context) error { return errors.New("no such program") }
		})
		waittest.Until(t, "the bot knows of its game", func() bool { return len(bot.Running()) == 1 })
		bot.Drain()
		o.perform(lichesstest.Action{Abort: true})
		if err := bot.wait(); err != nil {
			t.Errorf("drained: %v", err)
		}
	})
}
