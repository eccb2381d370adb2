package bot

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// A person who loses casual games meets a lower level in each, over a restart too.
func TestSparring_LevelFollowsResults(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		var mu sync.Mutex
		below := map[string]float64{} // how many levels below full strength each game was
		start := func() *runningBot {
			r.openState(dir)
			return r.startIn(dir, func(b *Bot) {
				b.opts.History = b.opts.Archive.(*record.Archive)
				b.opts.Engine = &fakeEngine{peace: 1000, think: func(_ context.Context, _ *rules.Game, l game.SearchLimits) {
					mu.Lock()
					defer mu.Unlock()
					below[l.Game] = l.LevelsBelow
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
		run, last := start(), 0.0
		for n := range 6 {
			if n == 3 {
				run.halt()
				run = start()
			}
			id := r.Challenge("ann", botName, lichesstest.ChallengeSpec{Limit: time.Minute})
			time.Sleep(time.Minute) // longer than the game, at a person's pace
			r.finished(id)
			run.plays()
			mu.Lock()
			if below[id] <= last {
				t.Errorf("game %d was %.1f levels below full strength, the one before %.1f", n+1, below[id], last)
			}
			last = below[id]
			mu.Unlock()
		}
	})
}
