package bot

import (
	"context"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/time/rate"

	"github.com/zhbot/zhbot/bot/record"
)

// openingWindow is the time over which Lichess counts openings of the event
// stream, whichever run of the program made them.
const openingWindow = 10 * time.Minute

// openings spaces the openings of the event stream: some at once, then one now
// and then. Their times are kept in the state file, so that restarts count too.
type openings struct {
	limiter *rate.Limiter
	state   *record.State
	log     zerolog.Logger
}

// newOpenings returns openings that know those of earlier runs.
func newOpenings(p pace, state *record.State, log zerolog.Logger) *openings {
	o := &openings{rate.NewLimiter(rate.Every(p.openingEvery), p.openings), state, log}
	now := time.Now()
	state.View(func(m *record.Memory) {
		for _, at := range m.Openings {
			if !at.After(now) { // one in the future is the mark of a clock that was wrong
				o.limiter.ReserveN(at, 1)
			}
		}
	})
	return o
}

// wait waits until the stream may be opened, and counts the opening. It is on
// disk before it is made: a crash must not forget it.
func (o *openings) wait(ctx context.Context) error {
	if err := o.limiter.Wait(ctx); err != nil {
		return err
	}
	err := o.state.Update(func(m *record.Memory) {
		now := time.Now()
		kept := m.Openings[:0:0]
		for _, at := range m.Openings {
			if age := now.Sub(at); age >= 0 && age < openingWindow {
				kept = append(kept, at)
			}
		}
		m.Openings = append(kept, now.UTC())
	})
	if err != nil {
		o.log.Warn().Err(err).Msg("opening of the event stream not written down")
	}
	return nil
}
