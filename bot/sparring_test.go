package bot

import (
	"context"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// A person who loses casual games meets a lower level in each, over a restart too.
func TestSparring_LevelFollowsResults(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		var mu sync.Mutex
		nodes := map[string]uint64{} // of a search in each game
		start := func() *runningBot {
			r.openState(dir)
			return r.startIn(dir, func(b *setup) {
				b.opts.History = b.opts.Archive.(*record.Archive)
				b.opts.Engine = &fakeEngine{peace: 1000, hook: func(s *search) error {
					mu.Lock()
					defer mu.Unlock()
					nodes[s.limits.Game] = s.limits.Strength.NodeLimit()
					return nil
				}}
				b.settings().Challenges.Humans.Level = config.Near
			})
		}
		r.AddHuman("ann", func(ctx context.Context, turn lichesstest.Turn) lichesstest.Action {
			if turn.Game.Ply() >= 14 { // late enough for the game to count
				return lichesstest.Action{Resign: true}
			}
			return peaceful(1000, 0)(ctx, turn)
		})
		r.SetPerf("ann", 1550, 100)
		run, last := start(), uint64(math.MaxUint64)
		for n := range 6 {
			if n == 3 {
				run.halt()
				run = start()
			}
			id := r.challenge("ann", "60s+0s")
			time.Sleep(time.Minute) // longer than the game, at a person's pace
			r.finished(id)
			run.plays()
			mu.Lock()
			if nodes[id] >= last || nodes[id] == 0 {
				t.Errorf("game %d was searched with %d nodes, the one before with %d", n+1, nodes[id], last)
			}
			last = nodes[id]
			mu.Unlock()
		}
	})
}
