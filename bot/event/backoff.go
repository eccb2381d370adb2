package event

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/lichess"
)

// Backoff is the first and the longest wait of an exponential backoff.
type Backoff struct{ Initial, Max time.Duration }

// Start returns the waits between the attempts at one operation: each is twice as long as
// the previous one, and randomised by up to half in either direction, so that games do
// not all retry at once.
func (b Backoff) Start() *Waits {
	return &Waits{backoff.ExponentialBackOff{
		InitialInterval:     b.Initial,
		RandomizationFactor: 0.5,
		Multiplier:          2,
		MaxInterval:         b.Max,
	}}
}

// Do calls op until it succeeds, fails permanently, or the context ends. The log names
// what is being done.
func (b Backoff) Do(ctx context.Context, log zerolog.Logger, doing string, permanent func(error) bool,
	op func() error) error {
	waits := b.Start()
	for {
		err := op()
		if err == nil || ctx.Err() != nil || permanent(err) {
			return err
		}
		wait := waits.After(err)
		log.Warn().Err(err).Str("doing", doing).Stringer("retry_in", wait.Round(time.Millisecond)).Msg("retrying")
		if err := lichess.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// Waits are the waits between attempts. They belong to one goroutine.
type Waits struct{ exponential backoff.ExponentialBackOff }

// Next returns the next wait.
func (w *Waits) Next() time.Duration { return w.exponential.NextBackOff() }

// After returns the next wait after an error, which is longer if a rate limit demands it.
func (w *Waits) After(err error) time.Duration { return AtLeast(w.Next(), err) }

// Reset makes the next wait the first one again.
func (w *Waits) Reset() { w.exponential.Reset() }

// AtLeast returns a wait after an error, extended to what a rate limit demands.
func AtLeast(wait time.Duration, err error) time.Duration {
	if limited, ok := errors.AsType[*lichess.RateLimitError](err); ok {
		return max(wait, limited.RetryAfter)
	}
	return wait
}

// minClock is the time left below which a wait is not capped: retrying sooner no
// longer helps.
const minClock = time.Second

// CapToClock is [lichess.CapToClock], except in the last moments.
func CapToClock(wait time.Duration, flag time.Time) (capped time.Duration, urgent bool) {
	if time.Until(flag) < minClock {
		return wait, false
	}
	return lichess.CapToClock(wait, flag)
}

// IsFatal reports whether retrying is pointless until a person acts: Lichess refuses
// the token, or the token lacks a scope.
func IsFatal(err error) bool {
	return errors.Is(err, lichess.ErrUnauthorized) || errors.As(err, new(*lichess.ScopeError))
}

// Wake sends without blocking on a channel of capacity 1, to wake its receiver.
func Wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// DuplicateDetector detects another program that plays on our account. It counts the ends of
// a stream that another program may have caused. The server keeps one event stream per
// token, and one stream per game and User-Agent: when another program opens it, ours ends cleanly while
// the server answers all other requests. That happens occasionally for other reasons, so
// some ends are tolerated.
type DuplicateDetector struct {
	Backoff   Backoff // how long to leave the stream to the other program
	Tolerated int     // ends that may have another cause

	lastEnd time.Time
	wait    time.Duration
	count   int
}

// window is how long such an end is remembered.
const window = 10 * time.Minute

// StreamEnded records such an end and returns how long to leave the stream to the other
// program, so that the two do not use up each other's openings. Zero means that there may
// be no other program.
func (d *DuplicateDetector) StreamEnded(now time.Time) time.Duration {
	if d.count > 0 && now.Sub(d.lastEnd) > window {
		*d = DuplicateDetector{Backoff: d.Backoff, Tolerated: d.Tolerated}
	}
	d.lastEnd = now
	d.count++
	switch n := d.count - d.Tolerated; {
	case n <= 0:
	case n == 1:
		d.wait = d.Backoff.Initial
	default:
		d.wait = min(2*d.wait, d.Backoff.Max)
	}
	return d.wait
}
