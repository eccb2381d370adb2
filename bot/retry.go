package bot

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/zhbot/zhbot/lichess"
)

// backoffRange are the first and the longest pause between tries.
type backoffRange struct{ initial, max time.Duration }

// start returns pauses that double, each drawn from half to one and a half times
// that, so that games do not come back all at once.
func (p backoffRange) start() *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{
		InitialInterval:     p.initial,
		RandomizationFactor: 0.5,
		Multiplier:          2,
		MaxInterval:         p.max,
	}
}

// nextWait returns how long to wait after a failure: what a rate limit asks
// for, or the next pause.
func nextWait(err error, next *backoff.ExponentialBackOff) time.Duration {
	wait := next.NextBackOff()
	var limited *lichess.RateLimitError
	if errors.As(err, &limited) {
		return max(wait, limited.RetryAfter)
	}
	return wait
}

// retry tries until it succeeds, fails for good, or the context ends.
func (b *Bot) retry(ctx context.Context, what string, permanent func(error) bool, op func() error) error {
	next := b.timing.retry.start()
	for {
		err := op()
		if err == nil || ctx.Err() != nil || permanent(err) {
			return err
		}
		wait := nextWait(err, next)
		b.log.Warn().Err(err).Str("doing", what).Dur("retry_in", wait).Msg("trying again")
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// fatal reports whether trying again is pointless until a person acts.
func fatal(err error) bool {
	var scope *lichess.ScopeError
	return errors.Is(err, lichess.ErrUnauthorized) || errors.As(err, &scope)
}

// sleep waits, or returns the context's error.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// signal makes a receiver look, if it is not about to anyway.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
