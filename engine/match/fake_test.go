package match

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/enginetest"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/engine/uci"
	"github.com/zhbot/zhbot/rules"
)

func TestMain(m *testing.M) {
	enginetest.Serve(func(string, string, string, int) (pass bool) { return true })
	os.Exit(m.Run())
}

// fakeProgram starts the test binary as an engine.
func fakeProgram(t *testing.T) StartFunc {
	t.Helper()
	return Program(enginetest.Command(t, "play"), external.Config{})
}

// nonRepeatingMove returns a legal move; a game of such moves does not repeat itself.
func nonRepeatingMove(g *rules.Game) rules.Move {
	moves := g.Position().LegalMoves()
	return moves[7*g.Ply()%len(moves)]
}

// scriptedPlayer is a player whose moves come from a function.
type scriptedPlayer struct {
	games  int
	search func(p *scriptedPlayer, g *rules.Game, l engine.Limits) (engine.Result, error)
}

func (p *scriptedPlayer) Name() string { return "Scripted" }

func (p *scriptedPlayer) NewGame(context.Context) error {
	p.games++
	return nil
}

func (p *scriptedPlayer) Search(_ context.Context, g *rules.Game, l engine.Limits) (engine.Result, error) {
	return p.search(p, g, l)
}

func (p *scriptedPlayer) Close() error { return nil }

// scriptedEngine returns a function that starts a scripted player.
func scriptedEngine(search func(*scriptedPlayer, *rules.Game, engine.Limits) (engine.Result, error)) StartFunc {
	return func(context.Context) (Player, error) { return &scriptedPlayer{search: search}, nil }
}

// playLegal plays legal moves that take a millisecond each.
func playLegal(_ *scriptedPlayer, g *rules.Game, _ engine.Limits) (engine.Result, error) {
	info := engine.Info{Depth: 5, Nodes: 1000, Time: time.Millisecond}
	return engine.Result{Move: nonRepeatingMove(g), Info: info}, nil
}

// resign resigns instead of a move.
func resign(*scriptedPlayer, *rules.Game, engine.Limits) (engine.Result, error) {
	return engine.Result{}, external.ErrResigned
}

// smallLimit keeps searches short.
var smallLimit = Limit{Nodes: 200}

// testMatch is a match of four short games from the start position.
func testMatch(t *testing.T, engine, opponent StartFunc) Config {
	t.Helper()
	return Config{
		Engine:       Side{Name: "A", Command: "a", Start: engine, Limit: smallLimit},
		Opponent:     Side{Command: "b", Start: opponent, Limit: smallLimit},
		Games:        4,
		Openings:     Shuffled([]*rules.Game{rules.NewGame(rules.StartPosition())}, 1),
		OpeningsName: "start",
		Adjudication: Adjudication{MaxPlies: 40},
	}
}

func inProcessEngine() StartFunc {
	o := uci.DefaultOptions(engine.Options{Threads: 1, HashMB: 1})
	o.Overhead = 0
	var side Side
	if err := side.UseSelf("zhbot", o, 1); err != nil {
		panic(err) // it has no book to open
	}
	return side.Start
}

// mustRun plays a match and fails the test on an error.
func mustRun(t *testing.T, c Config) Summary {
	t.Helper()
	s, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
