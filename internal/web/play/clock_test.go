package play

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

const minute = time.Minute

// Clocks run once both sides have moved, give the increment, and are as before after a
// takeback.
func TestSession_Clock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &scriptedEngine{thinks: 3 * time.Second, script: []string{"e7e5", "b8c6", "g8f6"}}
		s := start(t, e, Settings{Clock: lichess.Clock{Initial: minute, Increment: 2 * time.Second}})
		time.Sleep(10 * time.Second)
		state := play(t, s, "e4")
		if c := state.Clocks[2]; c != (Clocks{minute, minute}) || state.Running.IsZero() {
			t.Fatalf("after the first moves the clocks are %v, running %s", c, state.Running)
		}
		if l := e.limits.Load(); l.White != minute || l.Black != minute || l.WhiteInc != 2*time.Second || l.MoveTime != 0 {
			t.Errorf("limits %+v", l)
		}
		time.Sleep(5 * time.Second)
		if err := s.Move(state.Revision, "Nf3"); err != nil {
			t.Fatal(err)
		}
		state = personToMove(t, s)
		if c := state.Clocks[4]; c != (Clocks{minute - 3*time.Second, minute - time.Second}) {
			t.Errorf("after the second moves the clocks are %v", c)
		}
		time.Sleep(time.Second)
		must(t, s.TakeBack(state.Revision))
		state = s.State()
		if c := state.Clocks[state.Game.Ply()]; c != (Clocks{minute - 5*time.Second, minute}) || state.Running.IsZero() {
			t.Errorf("after the takeback the clocks are %v", c)
		}
	})
}

// Whoever's clock runs out has lost, even if nobody asks.
func TestSession_TimeUp(t *testing.T) {
	for _, tt := range []struct {
		name   string
		thinks time.Duration // of the engine
		waits  time.Duration // of the person
		want   string
		after  time.Duration
	}{
		{"the person", time.Second, 70 * time.Second, "Black won on time", minute},
		{"the engine", 70 * time.Second, time.Second, "White won on time", 61 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t, &scriptedEngine{thinks: tt.thinks}, Settings{Clock: lichess.Clock{Initial: minute}})
				state := play(t, s, "e4") // without clocks
				began := time.Now()
				time.Sleep(tt.waits)
				err := s.Move(state.Revision, "d4")
				if late := tt.waits > minute; late != errors.Is(err, ErrStale) {
					t.Fatalf("after %s: %v", tt.waits, err)
				}
				state = waitFor(t, s, "the game is over", func(state snapshot) bool { return state.Ending.Over() })
				if got := state.Ending.String(); got != tt.want || time.Since(began) < tt.after || !state.Running.IsZero() {
					t.Errorf("%s after %s, want %s", got, time.Since(began), tt.want)
				}
				for _, left := range state.Clocks[state.Game.Ply()] {
					if left < 0 {
						t.Errorf("clocks %v", state.Clocks)
					}
				}
			})
		})
	}
}

// A pause stops the clock, and moves wait for its end.
func TestSession_Pause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, &scriptedEngine{thinks: time.Second}, Settings{Side: rules.Black, Clock: lichess.Clock{Initial: minute}})
		state := personToMove(t, s)
		if err := s.Pause(state.Revision, true); !errors.Is(err, ErrNoClock) {
			t.Errorf("before the clocks run: %v", err)
		}
		state = play(t, s, "e5")
		time.Sleep(10 * time.Second)
		must(t, s.Pause(state.Revision, true))
		state = s.State()
		if !state.Paused || state.PersonToMove {
			t.Fatalf("state %+v", state)
		}
		time.Sleep(time.Hour)
		if err := s.Move(state.Revision, "d5"); !errors.Is(err, ErrPaused) {
			t.Errorf("a move in the pause: %v", err)
		}
		must(t, s.Pause(state.Revision, true)) // once more changes nothing
		must(t, s.Pause(state.Revision, false))
		state = s.State()
		if left := state.Clocks[state.Game.Ply()][rules.Black]; left != 50*time.Second || state.Running.IsZero() {
			t.Errorf("after the pause %s are left", left)
		}
		must(t, s.Pause(state.Revision, true))
		must(t, s.Resign(s.State().Revision))
		if state = s.State(); state.Paused || !state.Ending.Over() {
			t.Errorf("after resigning in a pause: %+v", state)
		}
	})
}
