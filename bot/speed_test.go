//go:build realclock && !race

// The clocks of these games are real: they take a minute, which CI spends
// every time, and want a machine that does nothing else. The race detector makes a
// move cost many times as much: it would be the detector's speed that is tested.

package bot

import (
	"runtime"
	"testing"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// Eight games at once on two search threads, against opponents who answer at
// once: however little time there is, none is lost on it. Each game lasts for so
// many plies that the clock would long be empty without care.
func TestSpeed_NoGameIsLostOnTime(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4)) // as mover.New does for two threads
	for _, c := range []struct {
		clock  string
		plies  int
		ponder bool
	}{{"10s+0s", 200, false}, {"15s+0s", 200, true}, {"0+1", 50, true}} {
		t.Run(c.clock, func(t *testing.T) {
			const games = 8
			r := newRig(t, lichesstest.Options{Seed: 11})
			r.AddHuman("alice", peaceful(c.plies, 0))
			r.start(func(b *setup) {
				// It takes the time that our engine takes, but does not win: games last until nobody has time to waste.
				real := engine.New(engine.Options{Threads: 2, HashMB: 8})
				b.opts.Engine = &fakeEngine{peace: c.plies, hook: func(s *search) error {
					r, err := real.Search(s.ctx, s.Game, s.limits.Limits, nil)
					s.found.Info.Depth = r.Info.Depth
					return err
				}}
				b.settings().Engine.MoveOverhead, b.settings().Engine.Ponder = 10*time.Millisecond, c.ponder
				b.settings().Games = config.Games{Max: games}
			})
			if ends := r.playAll(games, games, c.clock, "alice"); ends["mate"]+ends["draw"] != games {
				t.Errorf("games ended as %v", ends)
			}
		})
	}
}
