package game

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game/stream"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeClient takes every request and remembers it.
type fakeClient struct {
	mu    sync.Mutex
	taken []string
	posts chan lichess.MoveRequest // receives moves, if set
	reply chan error               // answers them

	list *lichess.GameList // of games in progress
}

func (c *fakeClient) record(what string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken = append(c.taken, what)
	return nil
}

// requests returns the requests that begin so.
func (c *fakeClient) requests(prefix string) (found []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.taken {
		if strings.HasPrefix(r, prefix) {
			found = append(found, r)
		}
	}
	return found
}

func (c *fakeClient) Move(ctx context.Context, r lichess.MoveRequest) error {
	if c.posts == nil {
		return c.record("move " + r.UCI)
	}
	c.posts <- r
	select {
	case err := <-c.reply:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *fakeClient) Playing(context.Context) (*lichess.GameList, error) { return c.list, nil }

func (c *fakeClient) Abort(context.Context, string) error        { return c.record("abort") }
func (c *fakeClient) Resign(context.Context, string) error       { return c.record("resign") }
func (c *fakeClient) ClaimVictory(context.Context, string) error { return c.record("claim") }
func (c *fakeClient) Draw(_ context.Context, _ string, yes bool) error {
	return c.record(fmt.Sprint("draw ", yes))
}

func (c *fakeClient) Takeback(_ context.Context, _ string, yes bool) error {
	return c.record(fmt.Sprint("takeback ", yes))
}

func (c *fakeClient) Chat(_ context.Context, _ string, _ lichess.Room, text string) error {
	return c.record("chat " + text)
}

// fakeEngine plays the first legal move.
type fakeEngine struct{}

func (fakeEngine) EndGame(string) {}

func (fakeEngine) Search(_ context.Context, g *rules.Game, _ SearchLimits, _ func(engine.Info)) (SearchResult, error) {
	return SearchResult{Result: engine.Result{Move: g.Position().LegalMoves()[0]}}, nil
}

// testOptions returns options with fakes.
func testOptions() Options {
	return Options{
		Client: new(fakeClient), Engine: fakeEngine{},
		Opponents: opponent.NewMemory(record.InMemoryState(), zerolog.Nop()), WasCanceled: func(string) bool { return false },
		Stream:   func(string) stream.Source { return stream.Source{} },
		Account:  func() *lichess.Account { return &lichess.Account{ID: "zhbot", Username: "ZhBot", Title: "BOT"} },
		Settings: func() *config.Config { return &config.Config{Engine: config.Engine{Skill: human.MaxLevel}} },
		Liveness: event.NewLiveness(), Reachability: stream.NewReachability(),
		Emit:   func(event.Event) {},
		Timing: LichessTiming(), Log: zerolog.Nop(),
	}
}

// of returns the entry of a game in a phase, in a registry of its own.
func (p phase) of(t *testing.T, id string) *Entry {
	t.Helper()
	r := NewRegistry(config.Games{Max: 4})
	return r.add(id, Info{Opponent: "alice", Clock: true}, p)
}

// newTestGame returns a game that is not played, with fakes and some changes.
func newTestGame(t *testing.T, change func(*Options)) *game {
	t.Helper()
	o := testOptions()
	if change != nil {
		change(&o)
	}
	e := playing.of(t, "abcd1234")
	o.Games = e.registry
	return newGame(NewManager(o), e, o.Log)
}

// gameAfter returns a game after some moves, in which we are White, and its client.
func gameAfter(t *testing.T, moves string, c config.Config) (*game, *fakeClient) {
	t.Helper()
	client := new(fakeClient)
	g := newTestGame(t, func(o *Options) { o.Client, o.Settings = client, func() *config.Config { return &c } })
	g.full, g.board = fullOf(moves, lichess.StatusStarted), newBoard(rules.StartPosition())
	g.state = &g.full.State
	show(t, g.board, moves)
	return g, client
}

func TestGame_ExpandPlaceholders(t *testing.T) {
	g := newTestGame(t, func(o *Options) { o.Version = "v9" })
	g.full = &lichess.GameFull{
		Speed: lichess.Blitz, White: lichess.Player{Name: "alice", Rating: 1900},
		Black: lichess.Player{Name: "{me}", Rating: 0},
	}
	g.state = &lichess.GameState{Status: "mate", Winner: "white"}
	for us, want := range map[rules.Color]string{
		rules.White: "{me} unrated alice v9 blitz won {nothing}",
		rules.Black: "alice 1900 {me} v9 blitz lost {nothing}",
	} {
		g.us = us
		if got := g.expandPlaceholders("{opponent} {rating} {me} {version} {speed} {result} {nothing}"); got != want {
			t.Errorf("as %s: %q, want %q", us, got, want)
		}
	}
}

// Who is to blame for a game without moves. Black waits for the first one.
func TestGame_AttributesUnplayedGames(t *testing.T) {
	for _, tt := range []struct {
		name               string
		status             lichess.Status
		us                 rules.Color
		aborting, canceled bool
		aborted, idle      bool
	}{
		{"aborted before we saw it", lichess.StatusAborted, rules.White, false, false, false, false},
		{"aborted at once", lichess.StatusAborted, rules.White, false, false, true, false},
		{"opponent aborted", lichess.StatusAborted, rules.Black, false, false, true, false},
		{"we did not move", lichess.StatusAborted, rules.White, false, false, false, false},
		{"we aborted an opponent who did not move", lichess.StatusAborted, rules.Black, true, false, false, true},
		{"we aborted, and the move came", lichess.StatusAborted, rules.White, true, false, false, false},
		{"accepted while we cancelled", lichess.StatusAborted, rules.White, false, true, false, false},
		{"we did not start", lichess.StatusNoStart, rules.White, false, false, false, false},
		{"opponent did not start", lichess.StatusNoStart, rules.Black, false, false, false, true},
	} {
		g, _ := gameAfter(t, "", config.Config{})
		g.us, g.aborting, g.state.Status = tt.us, tt.aborting, tt.status
		g.receivedAt = time.Now()
		switch tt.name {
		case "aborted before we saw it":
			g.startedAt = g.receivedAt.Add(-time.Minute)
		case "opponent aborted", "we did not move":
			g.greeted, g.board.changed = true, g.receivedAt.Add(-time.Minute)
		}
		g.opts.WasCanceled = func(string) bool { return tt.canceled }
		if aborted, idle := g.opponentAborted(), g.opponentIdle(); aborted != tt.aborted ||
			!aborted && idle != tt.idle {
			t.Errorf("%s: aborted %t, idle %t", tt.name, aborted, idle)
		}
	}
}
