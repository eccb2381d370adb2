package lichesstest

import (
	"testing"
	"time"
)

// A takeback is proposed only where both players' preferences allow it.
func TestTakeback_Preferences(t *testing.T) {
	s := NewServer(t, Options{})
	white, black := bot(t, s, "White"), bot(t, s, "Black")
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
		s.SetTakebacks("White", tt.white)
		s.SetTakebacks("Black", tt.black)
		spec := withWhite(blitz)
		spec.Rated = tt.rated
		id := s.Challenge("White", "Black", spec)
		black.must("/api/challenge/" + id + "/accept")
		both(white, black, id, "e2e4 e7e5")
		white.must("/api/bot/game/" + id + "/takeback/yes")
		full := white.open("/api/bot/game/stream/"+id).until("gameFull", nil)
		if got := full.at("state", "wtakeback") == true; got != tt.want {
			t.Errorf("%+v: proposed %v", tt, got)
		}
		white.must("/api/bot/game/" + id + "/resign")
	}
}

// After a proposal was declined, the next has to wait.
func TestTakeback_Declined(t *testing.T) {
	s, white, black, id := match(t, Options{}, blitz)
	both(white, black, id, "e2e4 e7e5")
	proposed := func() bool {
		white.must("/api/bot/game/" + id + "/takeback/yes")
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.games[id].takebacks[0].offered
	}
	decline := func() { black.must("/api/bot/game/" + id + "/takeback/no") }
	pass := func(d time.Duration) {
		s.mu.Lock()
		defer s.mu.Unlock()
		at := &s.games[id].takebacks[0].declinedAt
		*at = at.Add(-d)
	}
	for _, seconds := range []int{10, 40} {
		if !proposed() {
			t.Fatalf("not proposed before a wait of %d s", seconds)
		}
		decline()
		pass(time.Duration(seconds-1) * time.Second)
		if proposed() {
			t.Fatalf("proposed again before %d s had passed", seconds)
		}
		pass(time.Second)
	}
	if !proposed() {
		t.Fatal("not proposed after the wait")
	}
	black.must("/api/bot/game/" + id + "/takeback/yes")
	white.play(id, "d2d4")
	black.play(id, "d7d5")
	if !proposed() {
		t.Error("an accepted proposal does not end the waiting")
	}
}
