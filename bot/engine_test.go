package bot

import (
	"context"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/search"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// realEngine is the real engine behind the bot's interface.
type realEngine struct{ *engine.Engine }

func (e realEngine) Search(ctx context.Context, g *rules.Game, l search.Limits, _ func(search.Info)) (search.Result, error) {
	r, err := e.Engine.Search(ctx, g, engine.Limits{
		White: l.White, Black: l.Black, WhiteInc: l.WhiteInc, BlackInc: l.BlackInc, Overhead: l.Overhead,
		Ponder: l.Ponder, Sharpness: l.Sharpness,
	}, nil)
	return search.Result{Move: r.Move, Info: search.Info{Depth: r.Info.Depth}}, err
}

func TestBot_WithOurEngine(t *testing.T) {
	r := newRig(t, lichesstest.Options{Seed: 9})
	r.AddHuman("alice", lichesstest.Greedy(9))
	r.start(func(b *Bot) { b.opts.Engine = realEngine{engine.New(engine.Options{Threads: 1, HashMB: 4})} })
	var ids []string
	for _, color := range []string{"white", "black"} {
		ids = append(ids, r.Challenge("alice", botName, lichesstest.ChallengeSpec{Limit: 3 * time.Second, Increment: 50 * time.Millisecond, Color: color}))
	}
	for _, id := range ids {
		if result := r.finished(id); result.Status == "outoftime" || result.Winner == "" {
			t.Errorf("game %s: %s, winner %q", id, result.Status, result.Winner)
		}
	}
	r.checkNoViolations()
}
