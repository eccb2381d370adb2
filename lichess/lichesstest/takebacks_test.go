package lichesstest

import (
	"testing"
	"time"
)

// A takeback is proposed only where both players' preferences allow it.
func TestTakeback_Preferences(t *testing.T) {
	w := start(t, Options{}, "White", "Black")
	for _, tt := range []struct {
		white, black Takebacks
		rated, want  bool
	}{
		{TakebacksAlways, TakebacksAlways, true, true},
		{TakebacksAlways, TakebacksNever, false, false},
		{TakebacksNever, TakebacksAlways, false, false},
		{TakebacksCasual, TakebacksAlways, false, true},
		{TakebacksCasual, TakebacksAlways, true, false},
	} {
		w.SetTakebacks("White", tt.white)
		w.SetTakebacks("Black", tt.black)
		spec := withWhite(blitz)
		spec.Rated = tt.rated
		w.begin("White", "Black", spec)
		w.play("e2e4 e7e5")
		w.say("White POST takeback/yes")
		full := w.watch("White").until("gameFull", nil)
		if got := full.at("state.wtakeback") == true; got != tt.want {
			t.Errorf("%+v: proposed %v", tt, got)
		}
		w.say("White POST resign")
	}
}

// After a proposal was declined, the next has to wait.
func TestTakeback_Declined(t *testing.T) {
	w := match(t, Options{}, blitz)
	w.play("e2e4 e7e5")
	own := &w.games[w.values["id"]].takebacks[0]
	proposed := func(want bool) {
		t.Helper()
		w.say("White POST takeback/yes")
		var got bool
		if w.do(func() { got = own.offered }); got != want {
			t.Fatalf("proposed: %t", got)
		}
	}
	pass := func(d time.Duration) { w.do(func() { own.declinedAt = own.declinedAt.Add(-d) }) }
	for _, seconds := range []time.Duration{10, 40} {
		proposed(true)
		w.say("Black POST takeback/no")
		pass((seconds - 1) * time.Second)
		proposed(false)
		pass(time.Second)
	}
	proposed(true)
	w.say(`
		Black POST takeback/yes
		White POST move/d2d4
		Black POST move/d7d5
	`)
	proposed(true) // an accepted proposal ends the waiting
}
