package eventstream

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/state"
)

// However often the program is started, no ten minutes see more openings than
// Lichess allows, and a few are always to be had soon.
func TestOpenings_CountOverRestarts(t *testing.T) {
	const lichessLimit = 30
	synctest.Test(t, func(t *testing.T) {
		file := state.InMemory()
		var made []time.Time
		for range 40 { // restarts, with two openings each
			o := newOpenings(LichessTiming(), file, zerolog.Nop())
			for range 2 {
				if err := o.wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				made = append(made, time.Now())
			}
		}
		for i := lichessLimit - 1; i < len(made); i++ {
			if span := made[i].Sub(made[i-lichessLimit+1]); span <= openingWindow {
				t.Fatalf("openings %d to %d within %s", i-lichessLimit+2, i+1, span)
			}
		}
		if burst := made[LichessTiming().OpeningBurst-1].Sub(made[0]); burst != 0 {
			t.Errorf("the first %d openings took %s", LichessTiming().OpeningBurst, burst)
		}
		file.View(func(d *state.Data) {
			if n := len(d.Openings); n == 0 || n >= lichessLimit {
				t.Errorf("%d openings are remembered", n)
			}
		})
	})
}

// A clock that was wrong when a time was written down blocks nothing.
func TestOpenings_FromTheFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := state.InMemory()
		err := file.Update(func(d *state.Data) {
			for range 20 {
				d.Openings = append(d.Openings, time.Now().Add(24*time.Hour))
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := newOpenings(LichessTiming(), file, zerolog.Nop()).wait(t.Context()); err != nil || time.Since(began) != 0 {
			t.Errorf("opened after %s: %v", time.Since(began), err)
		}
	})
}
