package lichesstest

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
)

func gone(o object) bool { return o["gone"] == true }

// perform makes the scripted user alice act in the game {id}, with a move if there is one.
func (w *world) perform(move string, a Action) {
	w.t.Helper()
	if move != "" {
		a.Move = fixture.Move(w.t, fixture.Game(w.t, w.result().Moves...).Position(), move)
	}
	w.Perform(w.values["id"], "alice", a)
}

// leave makes alice leave for longer than any test.
func (w *world) leave() { w.perform("", Action{Leave: time.Hour}) }

// against starts a game of a bot with Black against a human, alice, in which both have moved.
func against(t *testing.T, claimAfter time.Duration, spec ChallengeSpec) *world {
	t.Helper()
	w := start(t, Options{InMemory: true, ClaimAfter: claimAfter}, "Black")
	w.AddHuman("alice", Idle())
	w.begin("alice", "Black", withWhite(spec))
	w.perform("e2e4", Action{})
	w.say("Black POST move/e7e5")
	return w
}

// checkResult checks how the game {id} ended.
func (w *world) checkResult(status lichess.Status, winner lichess.Color) {
	w.t.Helper()
	if r := w.result(); r.Status != status || r.Winner != winner {
		w.t.Errorf("%s, winner %q, want %s, %q", r.Status, r.Winner, status, winner)
	}
}

// The seconds to a claim are cut off, so that a claim at the end of them is too
// early; that is said half a second later.
func TestClaim_TooEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := against(t, 2*presenceInterval+2900*time.Millisecond, blitz)
		st := w.watch("Black")
		w.leave()
		st.until("opponentGone", gone).check(t, "first", "claimWinInSeconds=2")
		asked := time.Now()
		w.say("Black POST claim-victory -> 400 You cannot claim victory in this game")
		if took := time.Since(asked); took < claimDelay {
			t.Errorf("refused after %s", took)
		}
		w.say("Black POST claim-draw -> 400 You cannot claim draw in this game")
		st.until("opponentGone", func(o object) bool { return o["claimWinInSeconds"] == 0.0 })
		time.Sleep(time.Second)
		w.say("Black POST claim-victory")
		w.checkResult("timeout", "black")
	})
}

func TestClaim_NotApplicable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := against(t, time.Millisecond, blitz)
		w.perform("g1f3", Action{})
		w.leave()
		w.say(`
			Black POST claim-victory -> 400 This is not the time to claim victory
			Black POST claim-draw -> 400 This is not the time to claim draw
		`)
		w.checkResult(statusStarted, "")
		w.say("Black POST move/b8c6")
		w.Faults.Inject("early", When{Next: 1})
		w.say(`
			Black POST claim-victory -> 400 You cannot claim victory in this game
			Black POST claim-draw
		`) // which gives the win away
		w.checkResult("timeout", "")
	})
	for name, spec := range map[string]ChallengeSpec{
		"no clock": {}, "no claims": {Limit: time.Minute, Rules: []string{"noClaimWin"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := against(t, time.Millisecond, spec)
			w.perform("g1f3", Action{})
			w.say("Black POST move/b8c6")
			w.leave()
			time.Sleep(time.Second)
			w.say(`
				Black POST claim-victory -> 400 You cannot claim victory in this game
				Black POST claim-draw -> 400 You cannot claim draw in this game
			`)
			if w.checkResult(statusStarted, ""); t.Failed() {
				t.Log(name)
			}
		})
	}
}

// Of a human who was gone for long, the return is told.
func TestPresence_HumanReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := against(t, time.Second, blitz)
		st := w.watch("Black")
		w.perform("", Action{Leave: 3 * presenceInterval})
		st.until("opponentGone", gone)
		st.until("opponentGone", func(o object) bool { return o["gone"] == false })
	})
}

// The absence of a program counts from the start of the game: without a stream it
// can lose by a claim at once. Its return is not told.
func TestPresence_ProgramIsAwayFromTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const claimAfter = 300 * time.Millisecond
		w := match(t, Options{InMemory: true, ClaimAfter: claimAfter}, blitz)
		w.play("e2e4 e7e5")
		st, other := w.watch("Black"), w.watch("White")
		other.until("gameFull", nil)
		time.Sleep(claimAfter) // with an open stream
		other.cancel()
		st.until("opponentGone", gone).check(t, "after a moment without a stream", "claimWinInSeconds=0")
		w.watch("White").until("gameFull", nil)
		w.say("White POST chat room=player&text=back")
		for line := st.next(); line["type"] != "chatLine"; line = st.next() {
			if line["gone"] == false {
				t.Error("the return of a program is told")
			}
		}
		w.say("Black POST claim-victory -> 400 You cannot claim victory in this game")
	})
}

// So does that of a person's program.
func TestPresence_ProgramOfAPerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Options{InMemory: true}, "Black")
		w.login("alice", w.AddUser("alice", "", "board:play"))
		w.begin("alice", "Black", withWhite(blitz))
		w.say(`
			alice POST /api/board/game/{id}/move/e2e4
			Black POST move/e7e5
		`)
		w.watch("Black").until("opponentGone", gone).check(t, "alice", "claimWinInSeconds=50")
	})
}

// A wait for a claim is told only while the absent side's clock outlasts it.
func TestPresence_ClockRunsOutFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := against(t, time.Minute-time.Second, ChallengeSpec{Limit: time.Minute})
		st := w.watch("Black")
		st.until("gameFull", nil)
		w.leave()
		time.Sleep(6 * presenceInterval)
		w.say("Black POST chat room=player&text=mark")
		st.next().check(t, "told", "type=chatLine")
	})
}
