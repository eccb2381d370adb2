package bot

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/zhbot/zhbot/lichess"
)

// backoffRange is the initial and the maximum wait of an exponential backoff.
type backoffRange struct{ initial, max time.Duration }

// start returns a backoff that doubles, randomized by half in both directions so
// that games do not all retry at once.
func (p backoffRange) start() *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{
		InitialInterval:     p.initial,
		RandomizationFactor: 0.5,
		Multiplier:          2,
		MaxInterval:         p.max,
	}
}

// nextWait returns how long to wait after a failure: the next backoff, or longer if
// a rate limit asks for it.
func nextWait(err error, next *backoff.ExponentialBackOff) time.Duration {
	wait := next.NextBackOff()
	var limited *lichess.RateLimitError
	if errors.As(err, &limited) {
		return max(wait, limited.RetryAfter)
	}
	return wait
}

// retry calls op until it succeeds, fails permanently, or the context ends.
func (b *Bot) retry(ctx context.Context, what string, permanent func(error) bool, op func() error) error {
	next := b.timing.retry.start()
	for {
		err := op()
		if err == nil || ctx.Err() != nil || permanent(err) {
			return err
		}
		wait := nextWait(err, next)
		b.log.Warn().Err(err).Str("doing", what).Dur("retry_in", wait).Msg("retrying")
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// fatal reports whether retrying is pointless until a person acts.
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

// signal sends without blocking on a channel of capacity 1, to wake its receiver.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
