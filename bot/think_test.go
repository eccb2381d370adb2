package bot

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// A clock that runs out does not wait for the engine: the best move so far is
// played, or any.
func TestGame_MoveInHand(t *testing.T) {
	for name, tells := range map[string]bool{"the best so far": true, "any": false} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			// The bot waits for five of the eight seconds: the rest is slack.
			free := make(chan struct{})
			defer close(free) // before the bot is stopped
			e := &fakeEngine{peace: 1000}
			e.hook = func(s *search) error {
				if s.Ply() < 2 {
					return nil
				}
				if tells {
					s.report(engine.Info{Depth: 7, PV: []rules.Move{s.found.Move}})
				}
				<-free
				return nil
			}
			r.start(func(b *setup) { b.opts.Engine, b.settings().Engine.MoveOverhead = e, 7*time.Second })
			o := r.challengeAsBot("white 8s+0s")
			o.exchange("e2e4", "g1f3")
			moves := o.moves()
			g := fixture.Game(t, moves[:3]...)
			best, _ := (&fakeEngine{peace: 1000}).Search(t.Context(), g, game.SearchLimits{}, nil)
			if tells && moves[3] != best.Move.String() {
				t.Errorf("played %s, the best so far was %s", moves[3], best.Move)
			}
			if n := r.log.messages("engine did not answer in time"); n != 1 {
				t.Errorf("%d reports of an engine that does not answer, want 1", n)
			}
		})
	}
}

// ponderEngine is an engine that answers at once, expects a reply, and tells when it
// begins and ends to think on the opponent's time.
type ponderEngine struct {
	fakeEngine
	begun, ended chan string // the moves of the game
}

func newPonderEngine(expects string) *ponderEngine {
	e := &ponderEngine{begun: make(chan string, 100), ended: make(chan string, 100)}
	e.fakeEngine = fakeEngine{peace: 1000, hook: func(s *search) error {
		if s.limits.Ponder {
			e.begun <- s.line()
			<-s.ctx.Done()
			e.ended <- s.line()
		} else if expects != "" {
			next := s.Position().After(s.found.Move)
			s.found.Ponder, _ = next.ParseUCI(expects)
		}
		return nil
	}}
	return e
}

func TestGame_Ponders(t *testing.T) {
	for name, expects := range map[string]string{"the reply expected": "g1f3", "another reply": "b1c3",
		"no expectation": ""} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			e := newPonderEngine(expects)
			r.start(func(b *setup) { b.opts.Engine, b.settings().Engine.Ponder = e, true })
			o := r.challengeAsBot("white")
			o.exchange("e2e4")
			want := strings.Join(o.moves(), " ")
			if expects != "" {
				want += " " + expects
			}
			if got := <-e.begun; got != want {
				t.Errorf("ponders %q, want %q", got, want)
			}
			o.play(2, "g1f3")
			if got := <-e.ended; got != want { // when the opponent has moved
				t.Errorf("stopped %q, want %q", got, want)
			}
			r.plies(o.id, 4)
			<-e.begun
			o.resign()
			<-e.ended
		})
	}
}

func TestGame_PondersOnlyWhereItMay(t *testing.T) {
	for name, tt := range map[string]struct {
		words  string
		change func(*config.Config)
	}{
		"off":             {"", func(o *config.Config) { o.Engine.Ponder = false }},
		"no clock":        {"3d", func(*config.Config) {}},
		"limited by node": {"", func(o *config.Config) { o.Engine.MaxNodes = 1 }},
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			e := newPonderEngine("g1f3")
			b := r.start(func(b *setup) {
				b.opts.Engine, b.settings().Engine.Ponder = e, true
				tt.change(b.settings())
			})
			o := r.challengeAsBot("white " + tt.words)
			o.exchange("e2e4", "g1f3")
			b.halt()
			if len(e.begun) > 0 {
				t.Error("it ponders")
			}
		})
	}
}

// The engine is told for which game it searches, and when that is over.
func TestBot_EngineIsToldOfGames(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		told := make(chan string, 100)
		e := &fakeEngine{peace: 1000, over: func(id string) { told <- "over " + id }}
		e.hook = func(s *search) error { told <- "search for " + s.limits.Game; return nil }
		b := r.start(func(b *setup) { b.opts.Engine, b.settings().Engine.Ponder = e, true })
		o := r.challengeAsBot("white")
		o.exchange("e2e4")
		o.resign()
		b.plays()
		b.drain()
		close(told)
		var all []string
		for what := range told {
			all = append(all, what)
		}
		if want := []string{"search for " + o.id, "over " + o.id}; !slices.Equal(slices.Compact(all), want) {
			t.Errorf("told of %q, want %q", all, want)
		}
	})
}
