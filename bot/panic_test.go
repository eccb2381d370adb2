package bot

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// panics returns where the bot told of panics, and the log's entries of them.
func (r *rig) panics() []map[string]any {
	return r.log.entries(func(_, message string) bool { return message == "panic" })
}

// A search that panics costs that search only: its game goes on with the best move
// so far, one of a plain search, or any; the other game does not notice.
func TestGame_SearchPanics(t *testing.T) {
	const ply = 3 // of the search that panics
	for name, tt := range map[string]struct {
		panics func(*search)
		want   string // the move; "" is any
		plain  int    // searches
		logged int
	}{
		"with a move in hand": {func(s *search) {
			s.report(engine.Info{Depth: 7, PV: []rules.Move{moveOf(t, strings.Fields(s.line()), "a7a5")}})
			panic("evil position")
		}, "a7a5", 0, 1},
		"at once": {func(s *search) {
			if !s.limits.Plain {
				panic("evil position")
			}
		}, "", 1, 1},
		"whatever is tried": {func(*search) { panic(errors.New("evil position")) }, "", 1, 2},
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			var plain []string // the positions of plain searches
			e := &fakeEngine{peace: 1000, hook: func(s *search) error {
				if s.Ply() == ply && strings.HasPrefix(s.line(), "e2e4") {
					if s.limits.Plain {
						plain = append(plain, s.Position().FEN())
					}
					tt.panics(s)
				}
				return nil
			}}
			r.start(func(b *setup) { b.opts.Engine = e })
			o, other := r.challengeAsBot("white"), r.challengeAsHuman("white")
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
			if len(plain) != tt.plain || len(plain) > 0 && plain[0] != fen {
				t.Errorf("plain searches of %v, want %d of %s", plain, tt.plain, fen)
			}
			logged := r.panics()
			if told := seen[event.Panicked](r); len(logged) != tt.logged || len(told) != tt.logged ||
				told[0].In != "search" {
				t.Fatalf("%d panics logged, told of %+v, want %d", len(logged), told, tt.logged)
			}
			for _, l := range logged {
				stack, _ := l["stack"].(string)
				if l["fen"] != fen || l["panic"] != "evil position" || l["game"] != o.id ||
					!strings.Contains(stack, "panic_test.go") {
					t.Errorf("logged %v", l)
				}
			}
			r.checkRequests(endpointGameStream, 2)
		})
	}
}

func positionAfter(t *testing.T, moves []string) string {
	t.Helper()
	g := fixture.Game(t, moves...)
	return g.Position().FEN()
}

// Where pondering panicked, our move is searched for by plainer means, and the
// position is pondered about no more.
func TestGame_PonderingPanics(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		e := &fakeEngine{peace: 1000, hook: func(s *search) error {
			if s.limits.Ponder {
				panic("evil position")
			}
			return nil
		}}
		r.start(func(b *setup) { b.opts.Engine, b.settings().Engine.Ponder = e, true })
		o := r.challengeAsBot("white")
		o.play(0, "e2e4")
		await[event.Panicked](r, 1)
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
				b := r.startIn(dir, func(b *setup) { b.settings().Chat.Greeting, b.opts.Log = "hello", zerolog.New(a) })
				o := r.challengeAsBot("white")
				// A panic cuts off a greeting that is on its way, and it is not said twice.
				r.until("it has greeted", func() bool { return len(r.chatSent(o.id)) > 0 })
				o.exchange("e2e4", "d2d4", "a2a3", "h2h3")
				o.resign()
				text := r.archivedIn(dir)
				r.until("its goroutine is done", func() bool { return !b.games.Has(o.id) })
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
				r.until("it is no longer in progress", func() bool { return liveText(dir, o.id) == "" })
			})
		}
	}
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
			failing := &fakeEngine{peace: 1000, hook: func(s *search) error {
				if s.Ply() == 3 {
					s.found.Move = rules.NoMove
					return errNoMove
				}
				return nil
			}}
			r.start(func(b *setup) { b.opts.Engine, b.opts.Log = failing, zerolog.New(a) })
			r.fault("odd 100%")
			o := r.challengeAsBot("white")
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
		r.start(func(b *setup) {
			b.opts.Observe = func(e event.Event) {
				if _, ok := e.(event.GameChanged); ok {
					panic("no room on the page")
				}
			}
		})
		r.AddHuman("alice", peaceful(6, 0))
		r.mated(r.challenge("alice", ""))
		if len(r.log.errors()) == 0 {
			t.Error("nothing logged")
		}
	})
}
