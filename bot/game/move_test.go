package game

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game/stream"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

func TestMoveRefusals_Pause(t *testing.T) {
	var sum, before time.Duration
	for times := 1; times < 100; times++ {
		wait := (&moveRefusals{count: times}).pause(100 * time.Millisecond)
		if wait < before || wait > longestRefusal || times > 8 && wait < longestRefusal {
			t.Errorf("after %d refusals %s", times, wait)
		}
		if before = wait; times <= sureRefusals+otherMoves {
			sum += wait
		}
	}
	if sum > 10*time.Second {
		t.Errorf("the moves are tried within %s", sum)
	}
	p := rules.StartPosition()
	if m := alternativeMove(&p, rules.NoMove, 20); m != alternativeMove(&p, rules.NoMove, 0) {
		t.Errorf("the 21st of 20 moves is %s", m)
	}
}

func TestGame_InvalidLineIsReadAgainOnce(t *testing.T) {
	g := newTestGame(t, nil)
	for _, step := range []struct {
		moves string
		again bool
	}{{"", true}, {"", false}, {"e2e4", true}, {"e2e4", false}, {"e2e4 e7e5", true}} {
		g.state = &lichess.GameState{Moves: step.moves}
		if err := g.handleStreamError(stream.Item{}); err != nil {
			t.Fatal(err)
		}
		if armed := g.rereadTimer.Stop(); armed != step.again {
			t.Errorf("after %q: to be read again is %t", step.moves, armed)
		}
	}
}

// garbledSource is a source whose first connections bring an invalid line, and later
// ones a game.
type garbledSource struct {
	silentSource
	garbled int
	full    lichess.GameEvent
	opened  []time.Time
}

func (s *garbledSource) Open(ctx context.Context, _ lichess.StreamOptions) (stream.Connection, error) {
	s.opened = append(s.opened, time.Now())
	if len(s.opened) <= s.garbled {
		return &oneLine{ctx: ctx, err: new(lichess.LineError)}, nil
	}
	return &oneLine{ctx: ctx, event: s.full}, nil
}

// oneLine is a connection that brings one line, and then nothing.
type oneLine struct {
	ctx   context.Context
	event lichess.GameEvent
	err   error
	read  bool
}

func (c *oneLine) Next() (lichess.GameEvent, error) {
	if c.read {
		<-c.ctx.Done()
		return nil, context.Cause(c.ctx)
	}
	c.read = true
	return c.event, c.err
}

func (*oneLine) Close() {}

// A game whose first line is invalid is read again until it is known, at growing pauses.
func TestGame_InvalidFirstLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &garbledSource{garbled: 6, full: fullOf("", lichess.StatusStarted)}
		client := &fakeClient{posts: make(chan lichess.MoveRequest), reply: make(chan error)}
		g := newTestGame(t, func(o *Options) {
			o.Client, o.Stream = client, from(source)
		})
		ctx, cancel := context.WithCancel(t.Context())
		var run sync.WaitGroup
		run.Go(func() { _ = g.run(ctx) })
		select {
		case <-client.posts:
		case <-time.After(time.Hour):
			t.Error("the game is not played")
		}
		cancel()
		run.Wait()
		if n := len(source.opened); n != 7 {
			t.Fatalf("opened %d times, want 7", n)
		}
		first, last := source.opened[1].Sub(source.opened[0]), source.opened[6].Sub(source.opened[5])
		if first > 2*confirmTimeout || last < 5*first { // by chance half as long, or half as long again
			t.Errorf("read again after %s at first and %s at last", first, last)
		}
	})
}

// TestGame_PlaysOnIfServerDoesNotClaim shows that a repetition that the server
// sees differently does not stop the bot.
func TestGame_PlaysOnIfServerDoesNotClaim(t *testing.T) {
	g := newTestGame(t, nil)
	g.board = newBoard(rules.StartPosition())
	moves := slices.Repeat([]string{"g1f3", "g8f6", "f3g1", "f6g8"}, 2)
	show(t, g.board, moves...)
	if !g.awaitsRepetitionDraw(g.board.changed.Add(-time.Second)) {
		t.Error("a stream older than the repetition does not wait for the claim")
	}
	if g.awaitsRepetitionDraw(g.board.changed.Add(time.Second)) {
		t.Error("a fresh look at a game that goes on still waits for the claim")
	}
}

// gatedEngine thinks until it is let go, and plays the first legal move.
type gatedEngine struct {
	fakeEngine
	proceed chan struct{}
}

func (e gatedEngine) Search(ctx context.Context, g *rules.Game, l SearchLimits,
	report func(engine.Info)) (SearchResult, error) {
	select {
	case <-e.proceed:
	case <-ctx.Done():
	}
	return e.fakeEngine.Search(ctx, g, l, report)
}

// silentSource is a source whose streams bring nothing.
type silentSource struct{}

func (silentSource) Wait(ctx context.Context, limit time.Duration) error {
	return lichess.Sleep(ctx, limit)
}

func (silentSource) Open(ctx context.Context, _ lichess.StreamOptions) (stream.Connection, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// from returns what makes streams of a source.
func from(s interface {
	Wait(ctx context.Context, limit time.Duration) error
	Open(ctx context.Context, o lichess.StreamOptions) (stream.Connection, error)
}) func(string) stream.Source {
	return func(string) stream.Source { return stream.Source{Wait: s.Wait, Open: s.Open} }
}

// walk is a game that a test leads from phase to phase.
type walk struct {
	t      *testing.T
	game   *game
	engine gatedEngine
	client *fakeClient
	moves  []string
}

func newWalk(t *testing.T) *walk {
	w := &walk{
		t: t, engine: gatedEngine{proceed: make(chan struct{}, 1)},
		client: &fakeClient{posts: make(chan lichess.MoveRequest, 10), reply: make(chan error)},
	}
	w.game = newTestGame(t, func(o *Options) {
		o.Engine, o.Client = w.engine, w.client
		o.Stream = from(silentSource{})
	})
	return w
}

// fullOf returns the first line of a game in which we are White.
func fullOf(moves string, status lichess.Status) *lichess.GameFull {
	return &lichess.GameFull{
		Variant: lichess.Variant{Key: lichess.Crazyhouse}, Clock: lichess.Clock{Initial: 3 * time.Minute},
		White: lichess.Player{ID: "zhbot", Title: "BOT"}, Black: lichess.Player{ID: "rival", Title: "BOT"},
		State: lichess.GameState{Moves: moves, WhiteTime: 180_000, BlackTime: 180_000, Status: status},
	}
}

// show hands the game a line of its stream, from a connection opened now if fresh.
func (w *walk) show(fresh bool, status lichess.Status) {
	w.t.Helper()
	time.Sleep(time.Millisecond)
	now := time.Now()
	item := stream.Item{ReceivedAt: now, ConnectedAt: w.game.connectedAt}
	if fresh {
		item.ConnectedAt = now
	}
	item.Event = fullOf(strings.Join(w.moves, " "), status)
	if err := w.game.handleStream(w.t.Context(), item); err != nil {
		w.t.Fatal(err)
	}
}

// follow does one step after the other.
func (w *walk) follow(steps string) {
	w.t.Helper()
	for what := range strings.FieldsSeq(steps) {
		w.do(what)
	}
}

// end ends the goroutines of the game.
func (w *walk) end() {
	w.game.move.resolve()
	if w.game.move.turn != nil {
		w.game.move.turn.cancel()
	}
	w.game.wg.Wait()
}

func (w *walk) do(what string) {
	w.t.Helper()
	switch what {
	case "clocks": // run, since both sides have moved
		w.moves = []string{"e2e4", "e7e5"}
	case "turn": // the server shows that it is our turn
		w.show(true, lichess.StatusStarted)
	case "again": // on the connection that is open
		w.show(false, lichess.StatusStarted)
	case "reopened":
		w.show(true, lichess.StatusStarted)
	case "found":
		w.engine.proceed <- struct{}{}
	case "accepted":
		w.client.reply <- nil
	case "refused":
		w.client.reply <- fmt.Errorf("%w: %w", lichess.ErrIllegalMove,
			&lichess.APIError{StatusCode: 400, Explained: true})
	case "unanswered":
		w.client.reply <- &lichess.NetworkError{Err: context.DeadlineExceeded}
	case "limited":
		w.client.reply <- &lichess.RateLimitError{RetryAfter: time.Minute}
	case "banned":
		w.client.reply <- &lichess.RateLimitError{RetryAfter: time.Hour}
	case "minute":
		time.Sleep(time.Minute)
	case "early": // before our clock runs out
		if left := time.Until(w.game.soonestFlag()); left <= 0 {
			w.t.Errorf("our clock ran out %s ago", -left)
		}
	case "garbled": // an invalid line
		if err := w.game.handleStream(w.t.Context(), stream.Item{}); err != nil {
			w.t.Fatal(err)
		}
	case "timer": // the next one fires
		ctx, cancel := context.WithTimeout(w.t.Context(), time.Hour)
		defer cancel()
		if err := w.game.step(ctx); err != nil {
			w.t.Errorf("no timer is left: %v", err)
		}
	case "shown": // our move
		w.moves = append(w.moves, w.game.move.turn.chosen.move.String())
		w.show(false, lichess.StatusStarted)
	case "overtaken": // by moves that are not ours
		w.moves = []string{"e2e4"}
		w.show(false, lichess.StatusStarted)
	case "listed": // the list of games shows the board as it is
		time.Sleep(time.Millisecond)
		w.game.compare(w.t.Context(), listing{game: &lichess.Game{FEN: w.game.board.game.Position().FEN()},
			asked: time.Now()})
	default:
		w.t.Fatalf("what is %q?", what)
	}
	synctest.Wait()
	w.game.receiveReports()
	synctest.Wait()
}

// The phases of our move.
const (
	idle       = "idle"
	thinking   = "thinking"
	posting    = "posting"
	confirming = "confirming"
	blocked    = "blocked"
)

func (m *ourMove) phase() string {
	switch t := m.turn; {
	case !m.inProgress():
		return idle
	case t.chosen == nil:
		return thinking
	case t.endedAt.IsZero():
		return posting
	case t.accepted:
		return confirming
	}
	return blocked
}

// TestGame_Phases walks from phase to phase.
func TestGame_Phases(t *testing.T) {
	for _, tt := range []struct {
		walk  string
		want  string
		posts int
	}{
		{"", idle, 0},
		{"turn", thinking, 0},
		{"turn again", thinking, 0},
		{"turn reopened", thinking, 0},
		{"turn listed", thinking, 0},
		{"turn overtaken", idle, 0},
		{"turn found", posting, 1},
		{"turn found again", posting, 1},
		{"turn found reopened", posting, 1},
		{"turn found listed", posting, 1},
		{"turn found shown", idle, 1},
		{"turn found overtaken", idle, 1},
		{"turn found accepted", confirming, 1},
		{"turn found accepted again", confirming, 1},
		{"turn found accepted reopened", posting, 2},
		{"turn found accepted listed", posting, 2},
		{"turn found accepted shown", idle, 1},
		{"turn found accepted overtaken", idle, 1},
		{"turn found accepted reopened accepted shown", idle, 2},
		{"turn found unanswered", blocked, 1},
		{"turn found unanswered again", blocked, 1},
		{"turn found unanswered listed", blocked, 1},
		{"turn found unanswered reopened", posting, 2},
		{"turn found unanswered shown", idle, 1},
		{"turn found unanswered overtaken", idle, 1},
		{"turn found refused", blocked, 1},
		{"turn found refused reopened", posting, 2},
		{"turn found refused reopened refused reopened accepted", confirming, 3},
		{"turn found limited reopened", blocked, 1},
		{"turn found limited minute reopened", posting, 2},
		{"turn found limited timer reopened", posting, 2},
		{"clocks turn found banned timer early reopened", posting, 2},
		{"turn found limited garbled timer reopened timer reopened", posting, 2},
		{"turn found limited garbled again timer reopened timer reopened", posting, 2},
		{"turn found accepted reopened limited timer timer reopened timer reopened", posting, 3},
	} {
		t.Run(tt.walk, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWalk(t)
				w.follow(tt.walk)
				if got := w.game.move.phase(); got != tt.want || len(w.client.posts) != tt.posts {
					t.Errorf("%s after %d posts, want %s after %d", got, len(w.client.posts), tt.want, tt.posts)
				}
				w.end()
			})
		})
	}
}

// White's first move, which no move precedes, is timed from when the game was read.
func TestGame_LatencyOfFirstMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWalk(t)
		var got time.Duration
		w.game.opts.Emit = func(e event.Event) {
			if m, ok := e.(event.Moved); ok {
				got = m.Latency
			}
		}
		w.follow("turn minute found accepted shown")
		if want := time.Minute + time.Millisecond; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		w.end()
	})
}
