package bot

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// startParked starts a game without a clock that our bot has left.
func startParked(t *testing.T, spec lichesstest.ChallengeSpec, checkIn time.Duration) (*rig, *runningBot, *humanOpponent) {
	t.Helper()
	r := newRig(t, lichesstest.Options{})
	b := r.start(func(b *Bot) {
		b.opts.Engine = &fakeEngine{peace: 1000}
		b.timing.games.ParkAfter, b.timing.games.MaxParked = time.Millisecond, checkIn
	})
	alice := r.challengeAsHuman(withColor(spec, "black"))
	r.plies(alice.id, 1)
	time.Sleep(time.Second) // until the game is left
	return r, b, alice
}

func TestPark_ListOfGamesWakes(t *testing.T) {
	for name, spec := range map[string]lichesstest.ChallengeSpec{"correspondence": {Days: 3}, "unlimited": {}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, b, alice := startParked(t, spec, time.Hour)
				if n := r.requests(endpointGameStream); n != 1 {
					t.Errorf("the game's stream was opened %d times", n)
				}
				if ids := b.Running(); len(ids) != 1 {
					t.Errorf("running: %v, want the game that rests", ids)
				}
				for turn, move := range []string{"g8f6", "f6g8"} { // it is left again in between
					alice.play(2*turn+1, move)
					b.games.RequestSync()
					r.plies(alice.id, 2*turn+3)
					time.Sleep(time.Second)
					if n := r.requests(endpointGameStream); n != turn+2 {
						t.Errorf("the game's stream was opened %d times after %d moves", n, turn+1)
					}
				}
				r.checkNoViolations()
			})
		})
	}
}

func TestPark_ChecksInByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, alice := startParked(t, lichesstest.ChallengeSpec{Days: 3}, 5*time.Millisecond)
		alice.play(1, "e7e5")
		r.plies(alice.id, 3)
		r.checkNoViolations()
	})
}

// The end of a game that rests is told by the event stream.
func TestPark_EndsWithTheGame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, b, alice := startParked(t, lichesstest.ChallengeSpec{Days: 3}, time.Hour)
		alice.play(1, "e7e5")
		b.games.RequestSync()
		r.plies(alice.id, 3)
		time.Sleep(time.Second) // until the game is left again
		alice.perform(lichesstest.Action{Resign: true})
		waittest.Until(t, "the game is archived", func() bool { return len(r.archive.saved()) == 1 })
		waittest.Until(t, "its slot is free", func() bool { return len(b.Running()) == 0 })
		if g := r.archive.saved()[0]; g.Status != "resign" || g.Result != rules.WhiteWins {
			t.Errorf("archived as %s, %s", g.Status, g.Result)
		}
	})
}

// A bot that drains or stops does not wait for games that rest.
func TestPark_DrainDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, b, alice := startParked(t, lichesstest.ChallengeSpec{Days: 3}, time.Hour)
		b.Drain()
		if err := b.wait(); err != nil {
			t.Error(err)
		}
		if ids := b.Running(); len(ids) != 1 || ids[0] != alice.id {
			t.Errorf("left to the next start: %v", ids)
		}
	})
}

// Games with a clock are never left.
func TestPark_NotWithAClock(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.start(func(b *Bot) { b.opts.Engine, b.timing.games.ParkAfter = &fakeEngine{peace: 1000}, time.Millisecond })
		alice := r.challengeAsHuman(withColor(blitz, "white"))
		for i, move := range []string{"g1f3", "f3g1", "g1h3"} {
			alice.play(2*i, move)
		}
		r.plies(alice.id, 6)
		time.Sleep(time.Second)
		if n := r.requests(endpointGameStream); n != 1 {
			t.Errorf("the game's stream was opened %d times", n)
		}
	})
}
