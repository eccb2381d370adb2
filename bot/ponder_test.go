package bot

import (
	"context"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/bot/search"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// ponderEngine is an engine that answers at once, expects a reply, and tells when it
// begins and ends to think on the opponent's time.
type ponderEngine struct {
	fakeEngine
	expects      string
	begun, ended chan string // the moves of the game
}

func newPonderEngine(expects string) *ponderEngine {
	return &ponderEngine{fakeEngine: fakeEngine{peace: 1000}, expects: expects, begun: make(chan string, 100), ended: make(chan string, 100)}
}

func (e *ponderEngine) Search(ctx context.Context, g *rules.Game, l search.Limits, report func(search.Info)) (search.Result, error) {
	if l.Ponder {
		var moves []string
		for _, m := range g.Moves() {
			moves = append(moves, m.String())
		}
		e.begun <- strings.Join(moves, " ")
		<-ctx.Done()
		e.ended <- strings.Join(moves, " ")
		return search.Result{}, nil
	}
	r, err := e.fakeEngine.Search(ctx, g, l, report)
	if err == nil && e.expects != "" {
		p := *g.Position()
		next, _ := p.Play(r.Move)
		r.Ponder, _ = next.ParseUCI(e.expects)
	}
	return r, err
}

func receive(t *testing.T, from chan string, what string) string {
	t.Helper()
	var got string
	eventually(t, what, func() bool {
		select {
		case got = <-from:
			return true
		default:
			return false
		}
	})
	return got
}

func TestGame_Ponders(t *testing.T) {
	for name, expects := range map[string]string{"the reply expected": "g1f3", "another reply": "b1c3", "no expectation": ""} {
		t.Run(name, func(t *testing.T) {
			r, e := newRig(t, lichesstest.Options{}), newPonderEngine(expects)
			r.start(func(b *Bot) { b.opts.Engine, b.settings().Play.Ponder = e, true })
			o := r.challengeAsBot(withColor(blitz, "white"))
			o.play(0, "e2e4")
			r.plies(o.id, 2)
			want := strings.Join(o.moves(), " ")
			if expects != "" {
				want += " " + expects
			}
			if got := receive(t, e.begun, "it ponders"); got != want {
				t.Errorf("ponders %q, want %q", got, want)
			}
			o.play(2, "g1f3")
			if got := receive(t, e.ended, "it stops when the opponent has moved"); got != want {
				t.Errorf("stopped %q, want %q", got, want)
			}
			r.plies(o.id, 4)
			receive(t, e.begun, "it ponders again")
			if err := o.Resign(t.Context(), o.id); err != nil {
				t.Fatal(err)
			}
			receive(t, e.ended, "it stops when the game is over")
			r.checkNoViolations()
		})
	}
}

func TestGame_PondersOnlyWhereItMay(t *testing.T) {
	for name, tt := range map[string]struct {
		spec   lichesstest.ChallengeSpec
		change func(*Settings)
	}{
		"off":             {blitz, func(o *Settings) { o.Play.Ponder = false }},
		"no clock":        {lichesstest.ChallengeSpec{Days: 3}, func(*Settings) {}},
		"limited by node": {blitz, func(o *Settings) { o.Play.MaxNodes = 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			r, e := newRig(t, lichesstest.Options{}), newPonderEngine("g1f3")
			b := r.start(func(b *Bot) {
				b.opts.Engine, b.settings().Play.Ponder = e, true
				tt.change(b.settings())
			})
			o := r.challengeAsBot(withColor(tt.spec, "white"))
			o.play(0, "e2e4")
			o.play(2, "g1f3")
			r.plies(o.id, 4)
			b.halt()
			if len(e.begun) > 0 {
				t.Error("it ponders")
			}
		})
	}
}
