package bot

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/rules"
)

// startParked starts a game without a clock that our bot has left.
func (r *rig) startParked(words string, checkIn time.Duration) (*runningBot, *humanOpponent) {
	r.t.Helper()
	b := r.start(func(b *setup) {
		peacefulEngine(b)
		b.timing.games.ParkAfter, b.timing.games.MaxParked = time.Millisecond, checkIn
	})
	alice := r.challengeAsHuman("black " + words)
	r.plies(alice.id, 1)
	time.Sleep(time.Second) // until the game is left
	return b, alice
}

// A game that rests goes on when the list of games shows a move, and ends when the event stream
// says so.
func TestPark_ListOfGamesWakes(t *testing.T) {
	for _, words := range []string{"3d", "unlimited"} {
		runInBubble(t, words, func(t *testing.T, r *rig) {
			b, alice := r.startParked(words, time.Hour)
			b.plays(alice.id)
			for turn, move := range []string{"g8f6", "f6g8"} { // it is left again in between
				r.checkRequests(endpointGameStream, turn+1)
				alice.play(2*turn+1, move)
				b.games.RequestSync()
				r.plies(alice.id, 2*turn+3)
				time.Sleep(time.Second)
			}
			r.checkRequests(endpointGameStream, 3)
			alice.resign()
			if g := r.archived(1)[0]; g.Status != "resign" || g.Result != rules.WhiteWins {
				t.Errorf("archived as %s, %s", g.Status, g.Result)
			}
			b.plays()
		})
	}
}

func TestPark_ChecksInByItself(t *testing.T) {
	inBubble(t, func(_ *testing.T, r *rig) {
		_, alice := r.startParked("3d", 5*time.Millisecond)
		alice.exchange("e7e5")
	})
}

// Games with a clock are never left.
func TestPark_NotWithAClock(t *testing.T) {
	inBubble(t, func(_ *testing.T, r *rig) {
		r.start(func(b *setup) { b.opts.Engine, b.timing.games.ParkAfter = &fakeEngine{peace: 1000}, time.Millisecond })
		r.challengeAsHuman("white").exchange("g1f3", "f3g1", "g1h3")
		time.Sleep(time.Second)
		r.checkRequests(endpointGameStream, 1)
	})
}
