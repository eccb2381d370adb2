package bot

import (
	"context"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/search"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// unresponsiveEngine is an engine that does not end when it must, after its first move.
type unresponsiveEngine struct {
	fakeEngine
	tells bool // of the best move so far
	free  chan struct{}
}

func (e *unresponsiveEngine) Search(ctx context.Context, g *rules.Game, l search.Limits, report func(search.Info)) (search.Result, error) {
	r, err := e.fakeEngine.Search(ctx, g, l, nil)
	if g.Ply() < 2 {
		return r, err
	}
	if e.tells {
		report(search.Info{Depth: 7, PV: []rules.Move{r.Move}})
	}
	<-e.free
	return r, err
}

// A clock that runs out does not wait for the engine: the best move so far is
// played, or any.
func TestGame_MoveInHand(t *testing.T) {
	for name, tells := range map[string]bool{"the best so far": true, "any": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lichesstest.Options{})
			// The bot waits for five of the eight seconds: the rest is slack.
			e := &unresponsiveEngine{fakeEngine: fakeEngine{peace: 1000}, tells: tells, free: make(chan struct{})}
			defer close(e.free) // before the bot is stopped
			r.start(func(b *Bot) { b.opts.Engine, b.opts.MoveOverhead = e, 7*time.Second })
			o := r.challengeAsBot(withColor(lichesstest.ChallengeSpec{Limit: 8 * time.Second}, "white"))
			o.play(0, "e2e4")
			o.play(2, "g1f3")
			r.plies(o.id, 4)
			moves := o.moves()
			g := rules.NewGame(rules.StartPosition())
			if err := g.PlayUCI(moves[:3]...); err != nil {
				t.Fatal(err)
			}
			best, _ := e.fakeEngine.Search(t.Context(), g, search.Limits{}, nil)
			if tells && moves[3] != best.Move.String() {
				t.Errorf("played %s, the best so far was %s", moves[3], best.Move)
			}
			if n := r.log.messages("engine did not answer in time"); n != 1 {
				t.Errorf("%d reports of an engine that does not answer, want 1", n)
			}
			r.checkNoViolations()
		})
	}
}

// The engine is told how sharp the position is, and what the clocks allow.
func TestGame_LimitsTellSharpness(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	told := make(chan search.Limits, 100)
	e := &fakeEngine{peace: 1000, think: func(_ context.Context, _ *rules.Game, l search.Limits) { told <- l }}
	r.start(func(b *Bot) { b.opts.Engine = e })
	o := r.challengeAsBot(withColor(blitz, "white"))
	o.play(0, "e2e4")
	r.plies(o.id, 2)
	if l := <-told; l.Sharpness != 0 || l.White == 0 || l.BlackInc == 0 || l.Ponder {
		t.Errorf("limits of the first move: %+v", l)
	}
}
