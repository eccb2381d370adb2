package bot

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// panickingEngine is an engine that panics where it is told to.
type panickingEngine struct {
	fakeEngine
	panics func(g *rules.Game, l game.SearchLimits, report func(engine.Info)) // or returns

	mu    sync.Mutex
	plain []string // the positions of its plain searches
}

func (e *panickingEngine) Search(ctx context.Context, g *rules.Game, l game.SearchLimits, report func(engine.Info)) (game.SearchResult, error) {
	if l.Plain {
		e.mu.Lock()
		e.plain = append(e.plain, g.Position().FEN())
		e.mu.Unlock()
	}
	e.panics(g, l, report)
	if l.Ponder {
		<-ctx.Done()
		return game.SearchResult{}, nil
	}
	return e.fakeEngine.Search(ctx, g, l, nil)
}

func (e *panickingEngine) plainly() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.plain
}

// panics returns where the bot told of panics, and the log's entries of them.
func (r *rig) panics() []map[string]any {
	return r.log.entries(func(_, message string) bool { return message == "panic" })
}

// A search that panics costs that search only: its game goes on with the best move
// so far, one of a plain search, or any; the other game does not notice.
func TestGame_SearchPanics(t *testing.T) {
	const ply = 3 // of the search that panics
	for _, tt := range []struct {
		name   string
		panics func(g *rules.Game, l game.SearchLimits, report func(engine.Info))
		want   string // the move; "" is any
		plain  int    // searches
		logged int
	}{
		{"with a move in hand", func(g *rules.Game, _ game.SearchLimits, report func(engine.Info)) {
			m, _ := g.Position().ParseUCI("a7a5")
			report(engine.Info{Depth: 7, PV: []rules.Move{m}})
			panic("evil position")
		}, "a7a5", 0, 1},
		{"at once", func(_ *rules.Game, l game.SearchLimits, _ func(engine.Info)) {
			if !l.Plain {
				panic("evil position")
			}
		}, "", 1, 1},
		{"whatever is tried", func(*rules.Game, game.SearchLimits, func(engine.Info)) { panic(errors.New("evil position")) }, "", 1, 2},
	} {
		runInBubble(t, tt.name, func(t *testing.T, r *rig) {
			e := &panickingEngine{fakeEngine: fakeEngine{peace: 1000}, panics: func(g *rules.Game, l game.SearchLimits, report func(engine.Info)) {
				if g.Ply() == ply && g.Moves()[0].String() == "e2e4" {
					tt.panics(g, l, report)
				}
			}}
			r.start(func(b *Bot) { b.opts.Engine = e })
			o, other := r.challengeAsBot(withColor(blitz, "white")), r.challengeAsHuman(withColor(blitz, "white"))
			o.play(0, "e2e4")
			other.play(0, "d2d4")
			o.play(2, "g1f3")
			other.play(2, "g1f3")
			r.plies(o.id, ply+1)
			o.exchange("b1c3")
			r.plies(other.id, 4)
			if got := o.moves()[ply]; tt.want != "" && got != tt.want {
				t.Errorf("played %s, want %s", got, tt.want)
			}
			fen := positionAfter(t, o.moves()[:ply])
			if n := len(e.plainly()); n != tt.plain || n > 0 && e.plainly()[0] != fen {
				t.Errorf("plain searches of %v, want %d of %s", e.plainly(), tt.plain, fen)
			}
			logged := r.panics()
			if told := seen[event.Panicked](r); len(logged) != tt.logged || len(told) != tt.logged || told[0].In != "search" {
				t.Fatalf("%d panics logged, told of %+v, want %d", len(logged), told, tt.logged)
			}
			for _, l := range logged {
				stack, _ := l["stack"].(string)
				if l["fen"] != fen || l["panic"] != "evil position" || l["game"] != o.id || !strings.Contains(stack, "panic_test.go") {
					t.Errorf("logged %v", l)
				}
			}
			r.checkRequests(endpointGameStream, 2)
		})
	}
}

func positionAfter(t *testing.T, moves []string) string {
	t.Helper()
	g := rulestest.Game(t, moves...)
	return g.Position().FEN()
}

// Where pondering panicked, our move is searched for by plainer means, and the
// position is pondered about no more.
func TestGame_PonderingPanics(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		e := &panickingEngine{fakeEngine: fakeEngine{peace: 1000}, panics: func(_ *rules.Game, l game.SearchLimits, _ func(engine.Info)) {
			if l.Ponder {
				panic("evil position")
			}
		}}
		r.start(func(b *Bot) { b.opts.Engine, b.settings().Engine.Ponder = e, true })
		o := r.challengeAsBot(withColor(blitz, "white"))
		o.play(0, "e2e4")
		waittest.Until(t, "pondering panicked", func() bool { return len(seen[event.Panicked](r)) == 1 })
		o.exchange("g1f3")
	})
}

// panicWriter is the writer of a log that panics at a message, for so many times.
type panicWriter struct {
	to      *logBuffer
	message string
	times   atomic.Int32
}

func (a *panicWriter) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(a.message)) && a.times.Add(-1) >= 0 {
		panic("alarm")
	}
	return a.to.Write(p)
}

// A game whose goroutine panics is resumed from the server, with all that was tracked, and is
// archived once.
func TestGame_GoroutinePanics(t *testing.T) {
	for name, message := range map[string]string{
		"at its start": `"game joined"`, "in the middle": `"moved"`, "at its end": `"game over"`,
	} {
		for _, times := range []int32{1, 3} {
			runInBubble(t, name, func(t *testing.T, r *rig) {
				dir := t.TempDir()
				a := &panicWriter{to: r.log, message: message}
				a.times.Store(times)
				b := r.startIn(dir, func(b *Bot) { b.settings().Chat.Greeting, b.log = "hello", zerolog.New(a) })
				o := r.challengeAsBot(withColor(blitz, "white"))
				// A panic cuts off a greeting that is on its way, and it is not said twice.
				waittest.Until(t, "it has greeted", func() bool { return len(r.chatSent(o.id)) > 0 })
				o.exchange("e2e4", "d2d4", "a2a3", "h2h3")
				o.resign()
				text := r.archivedIn(dir)
				waittest.Until(t, "its goroutine is done", func() bool { return !b.games.Has(o.id) })
				if n := strings.Count(text, "[GameId"); n != 1 {
					t.Errorf("archived %d times:\n%s", n, text)
				}
				if n := strings.Count(text, "[%eval"); n < 4-int(times) {
					t.Errorf("%d evaluations of 4, and a panic costs one at most:\n%s", n, text)
				}
				if said := r.chatSent(o.id); !slices.Equal(said, []string{"hello"}) {
					t.Errorf("said %q", said)
				}
				if n := len(seen[event.Panicked](r)); n != int(times) {
					t.Errorf("%d panics reported, want %d", n, times)
				}
				waittest.Until(t, "it is no longer in progress", func() bool { return liveText(dir, o.id) == "" })
			})
		}
	}
}

// failingEngine is an engine that finds no second move.
type failingEngine struct{ fakeEngine }

func (e *failingEngine) Search(ctx context.Context, g *rules.Game, l game.SearchLimits, report func(engine.Info)) (game.SearchResult, error) {
	if g.Ply() == 3 {
		return game.SearchResult{}, errNoMove
	}
	return e.fakeEngine.Search(ctx, g, l, report)
}

// So is a game one of whose other goroutines panics: the one that reads its stream,
// or that makes a move.
func TestGame_HelperPanics(t *testing.T) {
	for name, message := range map[string]string{
		"stream": "invalid line in game stream", "move": "engine found no legal move",
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			a := &panicWriter{to: r.log, message: message}
			a.times.Store(1)
			r.start(func(b *Bot) { b.opts.Engine, b.log = &failingEngine{fakeEngine{peace: 1000}}, zerolog.New(a) })
			r.Faults.Inject("odd", lichesstest.When{Chance: 1})
			o := r.challengeAsBot(withColor(blitz, "white"))
			o.exchange("e2e4", "d2d4")
			if n := len(seen[event.Panicked](r)); n != 1 {
				t.Errorf("%d panics reported, want 1", n)
			}
		})
	}
}

// An observer that panics costs nothing but what it was told.
func TestBot_ObserverPanics(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.start(func(b *Bot) {
			b.opts.Observe = func(e event.Event) {
				if _, ok := e.(event.GameChanged); ok {
					panic("no room on the page")
				}
			}
		})
		r.AddHuman("alice", peaceful(6, 0))
		r.mated(r.Challenge("alice", botName, blitz))
		if len(r.log.errors()) == 0 {
			t.Error("nothing logged")
		}
	})
}
