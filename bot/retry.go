package bot

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/zhbot/zhbot/lichess"
)

// pauses are the first and the longest pause between tries.
type pauses struct{ first, longest time.Duration }

// begin returns pauses that double, each drawn from half to one and a half times
// that, so that games do not come back all at once.
func (p pauses) begin() *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{
		InitialInterval:     p.first,
		RandomizationFactor: 0.5,
		Multiplier:          2,
		MaxInterval:         p.longest,
	}
}

// pauseAfter returns how long to wait after a failure: what a rate limit asks
// for, or the next pause.
func pauseAfter(err error, next *backoff.ExponentialBackOff) time.Duration {
	wait := next.NextBackOff()
	var limited *lichess.RateLimitError
	if errors.As(err, &limited) {
		return max(wait, limited.RetryAfter)
	}
	return wait
}

// persist tries until it succeeds, fails for good, or the context ends.
func (b *Bot) persist(ctx context.Context, what string, final func(error) bool, try func() error) error {
	next := b.pace.pauses.begin()
	for {
		err := try()
		if err == nil || ctx.Err() != nil || final(err) {
			return err
		}
		wait := pauseAfter(err, next)
		b.log.Warn().Err(err).Str("doing", what).Dur("retry_in", wait).Msg("trying again")
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
}

// fatal reports whether trying again is pointless until a person acts.
func fatal(err error) bool {
	var scope *lichess.ScopeError
	return errors.Is(err, lichess.ErrUnauthorized) || errors.As(err, &scope)
}

// pause waits, or returns the context's error.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// wake makes a receiver look, if it is not about to anyway.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
