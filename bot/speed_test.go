//go:build realclock && !race

// The clocks of these games are real: they take a minute, which CI spends
// every time, and want a machine that does nothing else. The race detector makes a
// move cost many times as much: it would be the detector's speed that is tested.

package bot

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// slowEngine takes the time that our engine takes, with other games waiting for the
// same threads, but does not win: its games last until nobody has time to waste.
type slowEngine struct {
	fakeEngine
	realEngine
}

func (e *slowEngine) Search(ctx context.Context, g *rules.Game, l game.SearchLimits, report func(engine.Info)) (game.SearchResult, error) {
	r, err := e.realEngine.Search(ctx, g, l, report)
	if err != nil {
		return r, err
	}
	quiet, err := e.fakeEngine.Search(ctx, g, l, nil)
	quiet.Info.Depth = r.Info.Depth
	return quiet, err
}

func (e *slowEngine) EndGame(string) {}

// Eight games at once on two search threads, against opponents who answer at
// once: however little time there is, none is lost on it. Each game lasts for so
// many plies that the clock would long be empty without care.
func TestSpeed_NoGameIsLostOnTime(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4)) // as player.New does for two threads
	controls := []struct {
		name   string
		spec   lichesstest.ChallengeSpec
		plies  int
		ponder bool
	}{
		{"10s+0s", lichesstest.ChallengeSpec{Limit: 10 * time.Second}, 200, false},
		{"¼+0", lichesstest.ChallengeSpec{Limit: 15 * time.Second}, 200, true},
		{"0+1", lichesstest.ChallengeSpec{Increment: time.Second}, 50, true},
	}
	for _, c := range controls {
		t.Run(c.name, func(t *testing.T) {
			const games = 8
			r := newRig(t, lichesstest.Options{Seed: 11})
			r.AddHuman("alice", peaceful(c.plies, 0))
			r.start(func(b *Bot) {
				b.opts.Engine = &slowEngine{fakeEngine{peace: c.plies}, realEngine{engine.New(engine.Options{Threads: 2, HashMB: 8})}}
				b.settings().Engine.MoveOverhead, b.settings().Engine.Ponder = 10*time.Millisecond, c.ponder
				b.games.Resize(config.Games{Max: games})
			})
			ends := map[lichess.Status]int{}
			plan := lichesstest.Schedule{
				Bot: botName, Opponents: []string{"alice"}, Games: games, Concurrency: games,
				Spec: func(int) lichesstest.ChallengeSpec { return c.spec },
			}
			err := r.RunGames(t.Context(), plan, func(result lichesstest.Result) {
				if ends[result.Status]++; result.Status != "mate" && result.Status != "draw" {
					t.Errorf("game %s: %s, winner %q, after %d plies", result.ID, result.Status, result.Winner, result.Plies)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("ends: %v", ends)
		})
	}
}
