package bot

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// unresponsiveEngine is an engine that does not end when it must, after its first move.
type unresponsiveEngine struct {
	fakeEngine
	tells bool // of the best move so far
	free  chan struct{}
}

func (e *unresponsiveEngine) Search(ctx context.Context, g *rules.Game, l game.SearchLimits, report func(engine.Info)) (game.SearchResult, error) {
	r, err := e.fakeEngine.Search(ctx, g, l, nil)
	if g.Ply() < 2 {
		return r, err
	}
	if e.tells {
		report(engine.Info{Depth: 7, PV: []rules.Move{r.Move}})
	}
	<-e.free
	return r, err
}

// A clock that runs out does not wait for the engine: the best move so far is
// played, or any.
func TestGame_MoveInHand(t *testing.T) {
	for name, tells := range map[string]bool{"the best so far": true, "any": false} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			// The bot waits for five of the eight seconds: the rest is slack.
			e := &unresponsiveEngine{fakeEngine: fakeEngine{peace: 1000}, tells: tells, free: make(chan struct{})}
			defer close(e.free) // before the bot is stopped
			r.start(func(b *Bot) { b.opts.Engine, b.settings().Engine.MoveOverhead = e, 7*time.Second })
			o := r.challengeAsBot(withColor(lichesstest.ChallengeSpec{Limit: 8 * time.Second}, "white"))
			o.exchange("e2e4", "g1f3")
			moves := o.moves()
			g := rulestest.Game(t, moves[:3]...)
			best, _ := e.fakeEngine.Search(t.Context(), g, game.SearchLimits{}, nil)
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
	expects      string
	begun, ended chan string // the moves of the game
}

func newPonderEngine(expects string) *ponderEngine {
	return &ponderEngine{fakeEngine: fakeEngine{peace: 1000}, expects: expects, begun: make(chan string, 100), ended: make(chan string, 100)}
}

func (e *ponderEngine) Search(ctx context.Context, g *rules.Game, l game.SearchLimits, report func(engine.Info)) (game.SearchResult, error) {
	if l.Ponder {
		var moves []string
		for _, m := range g.Moves() {
			moves = append(moves, m.String())
		}
		e.begun <- strings.Join(moves, " ")
		<-ctx.Done()
		e.ended <- strings.Join(moves, " ")
		return game.SearchResult{}, nil
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
	waittest.Until(t, what, func() bool {
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
		runInBubble(t, name, func(t *testing.T, r *rig) {
			e := newPonderEngine(expects)
			r.start(func(b *Bot) { b.opts.Engine, b.settings().Engine.Ponder = e, true })
			o := r.challengeAsBot(withColor(blitz, "white"))
			o.exchange("e2e4")
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
			o.resign()
			receive(t, e.ended, "it stops when the game is over")
		})
	}
}

func TestGame_PondersOnlyWhereItMay(t *testing.T) {
	for name, tt := range map[string]struct {
		spec   lichesstest.ChallengeSpec
		change func(*config.Config)
	}{
		"off":             {blitz, func(o *config.Config) { o.Engine.Ponder = false }},
		"no clock":        {lichesstest.ChallengeSpec{Days: 3}, func(*config.Config) {}},
		"limited by node": {blitz, func(o *config.Config) { o.Engine.MaxNodes = 1 }},
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			e := newPonderEngine("g1f3")
			b := r.start(func(b *Bot) {
				b.opts.Engine, b.settings().Engine.Ponder = e, true
				tt.change(b.settings())
			})
			o := r.challengeAsBot(withColor(tt.spec, "white"))
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
		e.think = func(_ context.Context, _ *rules.Game, l game.SearchLimits) { told <- "search for " + l.Game }
		b := r.start(func(b *Bot) { b.opts.Engine, b.settings().Engine.Ponder = e, true })
		o := r.challengeAsBot(withColor(blitz, "white"))
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

// realEngine is the real engine behind the bot's interface.
type realEngine struct{ *engine.Engine }

func (realEngine) EndGame(string) {}

func (e realEngine) Search(ctx context.Context, g *rules.Game, l game.SearchLimits, _ func(engine.Info)) (game.SearchResult, error) {
	r, err := e.Engine.Search(ctx, g, l.Limits, nil)
	return game.SearchResult{Result: r}, err
}

func TestBot_WithOurEngine(t *testing.T) {
	t.Parallel()
	r := newRig(t, lichesstest.Options{Seed: 9})
	r.AddHuman("alice", lichesstest.Greedy(9))
	r.start(func(b *Bot) { b.opts.Engine = realEngine{engine.New(engine.Options{Threads: 1, HashMB: 4})} })
	var ids []string
	for _, color := range []string{"white", "black"} {
		ids = append(ids, r.begin("alice", lichesstest.ChallengeSpec{Limit: 3 * time.Second, Increment: 50 * time.Millisecond, Color: color}).id)
	}
	for _, id := range ids {
		if result := r.finished(id); result.Status == "outoftime" || result.Winner == "" {
			t.Errorf("game %s: %s, winner %q", id, result.Status, result.Winner)
		}
	}
}

// A lost game leaves a line in the log and in its record.
func TestPostMortem_IsLoggedAndRecorded(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.startPeaceful(1000)
		o := r.challengeAsBot(withColor(blitz, "white"))
		o.exchange("e2e4")
		r.must(r.client().Resign(t.Context(), o.id)) // as an operator could
		text := r.archived(1)[0].PostMortem
		lines := r.log.entries(func(_, m string) bool { return strings.HasPrefix(m, "post-mortem: ") })
		if text != "outplayed" || len(lines) != 1 || lines[0]["cause"] != "outplayed" || lines[0]["fen"] == "" {
			t.Errorf("recorded %q, logged %v", text, lines)
		}
	})
}

// A game lost on time because the server did not have our move is the connection's.
func TestPostMortem_Connection(t *testing.T) {
	for name, fault := range map[string]func(*lichesstest.Faults){
		"moves fail":          inject("fail", lichesstest.When{Class: "move", Next: 1000, Status: 503}),
		"the server was away": inject("down", lichesstest.When{For: 1500 * time.Millisecond}),
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			r.timeouts = true
			r.startPeaceful(1000)
			o := r.challengeAsBot(withColor(lichesstest.ChallengeSpec{Limit: time.Second}, "white"))
			o.exchange("e2e4", "g1f3")
			fault(r.Faults)
			r.Perform(o.id, "rival", lichesstest.Action{Move: moveOf(t, o.moves(), "f3g1")})
			if g := r.archived(1)[0]; g.Status != "outoftime" || g.PostMortem != "connection" {
				t.Errorf("lost by %s, post-mortem %q", g.Status, g.PostMortem)
			}
		})
	}
}
