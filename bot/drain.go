package bot

import (
	"context"
	"errors"
	"time"

	"github.com/zhbot/zhbot/bot/event"
)

// errDrained ends the loops when the last game is over.
var errDrained = errors.New("drained")

// awaitDrain ends Run once draining has begun and no game with a clock is left;
// other games can wait for the next run.
func (b *Bot) awaitDrain(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-b.draining:
	}
	b.log.Info().Strs("games", b.Running()).Msg("draining")
	b.emit(event.Draining{})
	var timeout <-chan time.Time
	if b.settings().DrainTimeout > 0 {
		timeout = time.After(b.settings().DrainTimeout)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timeout:
		b.log.Warn().Strs("games", b.Running()).Msg("drain timeout: games left to the next start")
	case <-b.slots.ClocksIdle():
	}
	return errDrained
}

func (b *Bot) isDraining() bool {
	select {
	case <-b.draining:
		return true
	default:
		return false
	}
}
