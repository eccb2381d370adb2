package record

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/time/rate"
)

// limitWindow is the time over which Lichess counts the requests of a [Limiter],
// whichever run of the program made them.
const limitWindow = 10 * time.Minute

// Rate is how often a kind of request may be made.
type Rate struct {
	Burst    int           // requests at once
	Interval time.Duration // between the others, on average
}

// LichessRate returns the rate for a limit of 30 requests in 10 minutes: 10 at once and
// one every 31 s make 29.
func LichessRate() Rate { return Rate{Burst: 10, Interval: 31 * time.Second} }

// Limiter limits how often a kind of request is made. The times are kept in the state
// file, so that restarts count too. It is safe for concurrent use.
type Limiter struct {
	limiter *rate.Limiter
	state   *StateFile
	times   func(*State) *[]time.Time
	log     zerolog.Logger // names the kind of request
	writing sync.WaitGroup
}

// diskWait is how long a request waits to be saved.
const diskWait = time.Second

// NewLimiter returns a limiter that counts the requests of earlier runs, whose times are
// that part of the state.
func NewLimiter(r Rate, file *StateFile, times func(*State) *[]time.Time, log zerolog.Logger) *Limiter {
	l := &Limiter{limiter: rate.NewLimiter(rate.Every(r.Interval), r.Burst), state: file, times: times, log: log}
	now := time.Now()
	file.View(func(d *State) {
		for _, at := range *times(d) {
			if !at.After(now) { // a time in the future comes from a wrong clock
				l.limiter.ReserveN(at, 1)
			}
		}
	})
	return l
}

// Wait waits until a request may be made, and counts it.
func (l *Limiter) Wait(ctx context.Context) error {
	if err := l.limiter.Wait(ctx); err != nil {
		return err
	}
	return l.save(ctx)
}

// Allow reports whether a request may be made now, and counts it if so.
func (l *Limiter) Allow(ctx context.Context) bool {
	return l.limiter.Allow() && l.save(ctx) == nil
}

// Close waits until all requests are saved.
func (l *Limiter) Close() { l.writing.Wait() }

// save saves a request before it is made, unless the disk is slow, so that a crash does
// not forget it.
func (l *Limiter) save(ctx context.Context) error {
	written := make(chan struct{})
	l.writing.Go(func() {
		defer close(written)
		if err := l.state.Update(l.count); err != nil {
			l.log.Warn().Err(err).Msg("request not counted on disk")
		}
	})
	select {
	case <-written:
	case <-time.After(diskWait):
		l.log.Warn().Msg("request not counted on disk yet: the disk is slow")
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// count adds a request to the state, and drops those that count no more.
func (l *Limiter) count(d *State) {
	now, times := time.Now(), l.times(d)
	counted := slices.DeleteFunc(slices.Clone(*times), func(at time.Time) bool {
		return at.After(now) || now.Sub(at) >= limitWindow
	})
	*times = append(counted, now.UTC())
}
