package record

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

func openings(d *State) *[]time.Time { return &d.Openings }

// However often the program is started, no ten minutes see more requests than
// Lichess allows, and a few are always to be had soon; times in the future block nothing.
func TestLimiter_CountsOverRestarts(t *testing.T) {
	const lichessLimit = 30
	synctest.Test(t, func(t *testing.T) {
		file := InMemoryState()
		must(t, file.Update(func(d *State) { // by a clock that was wrong
			d.Openings = slices.Repeat([]time.Time{time.Now().Add(24 * time.Hour)}, 20)
		}))
		var made []time.Time
		for range 40 { // restarts, with two requests each
			l := NewLimiter(LichessRate(), file, openings, zerolog.Nop())
			for range 2 {
				must(t, l.Wait(t.Context()))
				made = append(made, time.Now())
			}
		}
		for i := lichessLimit - 1; i < len(made); i++ {
			if span := made[i].Sub(made[i-lichessLimit+1]); span <= limitWindow {
				t.Fatalf("requests %d to %d within %s", i-lichessLimit+2, i+1, span)
			}
		}
		if burst := made[LichessRate().Burst-1].Sub(made[0]); burst != 0 {
			t.Errorf("the first %d requests took %s", LichessRate().Burst, burst)
		}
		file.View(func(d *State) {
			if n := len(d.Openings); n == 0 || n >= lichessLimit {
				t.Errorf("%d requests are remembered", n)
			}
		})
	})
}
