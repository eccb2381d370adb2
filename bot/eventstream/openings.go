package eventstream

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/time/rate"

	"github.com/zhbot/zhbot/bot/state"
)

// openingWindow is the time over which Lichess counts openings of the event
// stream, whichever run of the program made them.
const openingWindow = 10 * time.Minute

// openings limits the rate of event stream openings: a burst, then one per interval.
// Their times are kept in the state file, so that restarts count too.
type openings struct {
	limiter *rate.Limiter
	state   *state.File
	log     zerolog.Logger
	writing sync.WaitGroup
}

// diskWait is how long an opening waits to be saved. Without the stream no new game
// is noticed.
const diskWait = time.Second

// newOpenings returns openings that count those of earlier runs.
func newOpenings(p Timing, file *state.File, log zerolog.Logger) *openings {
	o := &openings{limiter: rate.NewLimiter(rate.Every(p.OpeningInterval), p.OpeningBurst), state: file, log: log}
	now := time.Now()
	file.View(func(d *state.Data) {
		for _, at := range d.Openings {
			if !at.After(now) { // a time in the future comes from a wrong clock
				o.limiter.ReserveN(at, 1)
			}
		}
	})
	return o
}

// wait waits until the stream may be opened, and counts the opening. It is saved
// before it is made, unless the disk is slow, so that a crash does not forget it.
func (o *openings) wait(ctx context.Context) error {
	if err := o.limiter.Wait(ctx); err != nil {
		return err
	}
	written := make(chan struct{})
	o.writing.Go(func() {
		defer close(written)
		o.write()
	})
	timer := time.NewTimer(diskWait)
	defer timer.Stop()
	select {
	case <-written:
	case <-timer.C:
		o.log.Warn().Msg("opening of the event stream is not on disk yet: the disk is slow")
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// close waits until all openings are saved.
func (o *openings) close() { o.writing.Wait() }

func (o *openings) write() {
	err := o.state.Update(func(d *state.Data) {
		now := time.Now()
		counted := slices.DeleteFunc(slices.Clone(d.Openings), func(at time.Time) bool {
			return at.After(now) || now.Sub(at) >= openingWindow
		})
		d.Openings = append(counted, now.UTC())
	})
	if err != nil {
		o.log.Warn().Err(err).Msg("opening of the event stream not saved")
	}
}
