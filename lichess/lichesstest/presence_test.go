package lichesstest

import (
	"testing"
	"testing/synctest"
	"time"
)

func gone(o object) bool { return o["gone"] == true }

// against starts a game of a bot with Black against a human, whose first move is
// made.
func against(t *testing.T, o Options) (s *Server, black *account, id string) {
	t.Helper()
	s = NewServer(t, o)
	black = bot(t, s, "Black")
	s.AddHuman("alice", Idle())
	spec := blitz
	spec.Color = "white"
	id = s.Challenge("alice", "Black", spec)
	black.must("/api/challenge/" + id + "/accept")
	s.Perform(id, "alice", Action{Move: mustMove(t, s, id, "e2e4")})
	black.play(id, "e7e5")
	return s, black, id
}

// The seconds to a claim are cut off, so that a claim at the end of them is too
// early; that is said half a second later. On one's own turn nothing is said.
func TestClaim_TooEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Options{InMemory: true, ClaimAfter: 2*presenceInterval + 2900*time.Millisecond}
		s, black, id := against(t, o)
		st := black.open("/api/bot/game/stream/" + id)
		s.Perform(id, "alice", Action{Leave: time.Hour})
		first := st.until("opponentGone", gone)
		if n := first["claimWinInSeconds"]; n != 2.0 {
			t.Errorf("claim in %v s, want 2", n)
		}
		asked := time.Now()
		black.post("/api/bot/game/"+id+"/claim-victory").want(t, 400, "You cannot claim the win on this game")
		if took := time.Since(asked); took < claimDelay {
			t.Errorf("refused after %s", took)
		}
		black.post("/api/bot/game/"+id+"/claim-draw").want(t, 400, "You cannot claim draw on this game")
		st.until("opponentGone", func(o object) bool { return o["claimWinInSeconds"] == 0.0 })
		time.Sleep(time.Second)
		black.must("/api/bot/game/" + id + "/claim-victory")
		if r, _ := s.Game(id); r.Status != "timeout" || r.Winner != "black" {
			t.Errorf("ended by %s, winner %q", r.Status, r.Winner)
		}
	})
}

func TestClaim_NotApplicable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Options{InMemory: true, ClaimAfter: time.Millisecond}
		s, black, id := against(t, o)
		s.Perform(id, "alice", Action{Move: mustMove(t, s, id, "g1f3")})
		s.Perform(id, "alice", Action{Leave: time.Hour})
		black.must("/api/bot/game/" + id + "/claim-victory") // it is our turn
		if r, _ := s.Game(id); r.Status != statusStarted {
			t.Fatalf("ended by %s", r.Status)
		}
		black.play(id, "b8c6")
		s.Faults.Inject("early", When{Next: 1})
		black.post("/api/bot/game/"+id+"/claim-victory").want(t, 400, "You cannot claim the win")
		black.must("/api/bot/game/" + id + "/claim-draw") // which gives the win away
		if r, _ := s.Game(id); r.Status != "timeout" || r.Winner != "" {
			t.Errorf("ended by %s, winner %q", r.Status, r.Winner)
		}
	})
}

// Of a human who was gone for long, the return is told.
func TestPresence_HumanReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Options{InMemory: true, ClaimAfter: time.Second}
		s, black, id := against(t, o)
		st := black.open("/api/bot/game/stream/" + id)
		s.Perform(id, "alice", Action{Leave: 3 * presenceInterval})
		st.until("opponentGone", gone)
		st.until("opponentGone", func(o object) bool { return o["gone"] == false })
	})
}

// The absence of a program counts from the start of the game: without a stream it
// can lose by a claim at once. Its return is not told.
func TestPresence_ProgramIsAwayFromTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Options{InMemory: true, ClaimAfter: 300 * time.Millisecond}
		_, white, black, id := match(t, o, blitz)
		both(white, black, id, "e2e4 e7e5")
		path := "/api/bot/game/stream/" + id
		st, other := black.open(path), white.open(path)
		other.until("gameFull", nil)
		time.Sleep(o.ClaimAfter) // with an open stream
		other.cancel()
		if first := st.until("opponentGone", gone); first["claimWinInSeconds"] != 0.0 {
			t.Errorf("after a moment without a stream: %v", first)
		}
		white.open(path).until("gameFull", nil)
		white.must("/api/bot/game/"+id+"/chat", "room", "player", "text", "back")
		for line := st.next(); line["type"] != "chatLine"; line = st.next() {
			if line["gone"] == false {
				t.Error("the return of a program is told")
			}
		}
		black.post("/api/bot/game/"+id+"/claim-victory").want(t, 400, "You cannot claim the win")
	})
}

// A wait for a claim is told only while the absent side's clock outlasts it.
func TestPresence_ClockRunsOutFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewServer(t, Options{InMemory: true, ClaimAfter: time.Minute - time.Second})
		black := bot(t, s, "Black")
		s.AddHuman("alice", Idle())
		id := s.Challenge("alice", "Black", ChallengeSpec{Limit: time.Minute, Color: "white"})
		black.must("/api/challenge/" + id + "/accept")
		s.Perform(id, "alice", Action{Move: mustMove(t, s, id, "e2e4")})
		black.play(id, "e7e5")
		st := black.open("/api/bot/game/stream/" + id)
		st.until("gameFull", nil)
		s.Perform(id, "alice", Action{Leave: time.Hour})
		time.Sleep(6 * presenceInterval)
		black.must("/api/bot/game/"+id+"/chat", "room", "player", "text", "mark")
		if line := st.next(); line["type"] != "chatLine" {
			t.Errorf("told %v", line)
		}
	})
}
