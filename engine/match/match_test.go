package match

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/rules"
)

// At fixed nodes an engine plays the same moves against itself in both games of a pair, so
// the error of the Elo difference is unknown.
func TestRun_identicalEnginesPlayIdenticalPairs(t *testing.T) {
	t.Parallel()
	c := testMatch(t, inProcessEngine(), inProcessEngine())
	c.Adjudication = Adjudication{}
	c.Games, c.Concurrency = 8, 2
	c.Openings = RandomOpenings(1)
	c.SPRT = &SPRT{0, 10}
	moves := map[string]int{}
	c.OnGame = func(g Game, _ Summary) error {
		moves[g.Moves]++
		return nil
	}
	s := mustRun(t, c)
	if s.Games != 8 || s.IdenticalPairs != 4 || len(moves) != 4 {
		t.Errorf("%d games, %d pairs the same, %d different games, want 8, 4, 4", s.Games, s.IdenticalPairs, len(moves))
	}
	if s.Wins != s.Losses || s.Pentanomial != (Pentanomial{2: 4}) {
		t.Errorf("won %d, lost %d, pairs %v, want all pairs even", s.Wins, s.Losses, s.Pentanomial)
	}
	if s.Elo != nil || s.SPRT.LLR != nil || s.SPRT.Verdict != Undecided {
		t.Errorf("Elo %v, SPRT %+v, want undefined", s.Elo, s.SPRT)
	}
}

func TestRun_strongerEngineWins(t *testing.T) {
	t.Parallel()
	c := testMatch(t, inProcessEngine(), inProcessEngine())
	c.Adjudication = Adjudication{}
	c.Engine.Limit.Nodes = 3000
	c.Openings = RandomOpenings(2)
	if s := mustRun(t, c); s.Wins < 3 {
		t.Errorf("15 times the nodes won %d, drew %d, lost %d", s.Wins, s.Draws, s.Losses)
	}
}

// Each fault of an engine loses its game and is counted.
func TestRun_faults(t *testing.T) {
	t.Parallel()
	fails := func(err error) StartFunc {
		return scriptedEngine(func(*scriptedPlayer, *rules.Game, engine.Limits) (engine.Result, error) {
			return engine.Result{}, fmt.Errorf("search: %w", err)
		})
	}
	takes := func(d time.Duration) StartFunc {
		return scriptedEngine(func(_ *scriptedPlayer, g *rules.Game, _ engine.Limits) (engine.Result, error) {
			return engine.Result{Move: nonRepeatingMove(g), Info: engine.Info{Time: d}}, nil
		})
	}
	for _, c := range []struct {
		start StartFunc
		limit Limit
		want  Ending
	}{
		{fails(external.ErrExited), smallLimit, Crash},
		{fails(&engine.PanicError{Value: "index out of range"}), smallLimit, Crash},
		{fails(external.ErrTimeout), smallLimit, Hang},
		{fails(external.ErrFlood), smallLimit, Hang},
		{fails(external.ErrResigned), smallLimit, Resignation},
		{fails(external.ErrResultClaimed), smallLimit, FalseClaim},
		{fails(&external.IllegalMoveError{Move: "Q@e4", Err: errors.New("no queen")}), smallLimit, IllegalMove},
		{takes(2 * time.Minute), smallLimit, Hang},
		{takes(3 * time.Second), Limit{Clock: 2 * time.Second}, TimeForfeit},
		{takes(1100 * time.Millisecond), Limit{Clock: 2 * time.Second}, TimeForfeit},
		{takes(300 * time.Millisecond), Limit{MoveTime: 20 * time.Millisecond}, TimeForfeit},
	} {
		t.Run(string(c.want), func(t *testing.T) {
			config := testMatch(t, scriptedEngine(playLegal), c.start)
			config.Opponent.Limit = c.limit
			s := mustRun(t, config)
			if s.Wins != 4 || s.Endings[c.want] != 4 {
				t.Errorf("won %d, endings %v, want 4 by %s", s.Wins, s.Endings, c.want)
			}
			counts := map[Ending]int{
				Crash: s.Opponent.Crashes, Hang: s.Opponent.Hangs, FalseClaim: s.Opponent.FalseClaims,
				IllegalMove: s.Opponent.IllegalMoves, TimeForfeit: s.Opponent.TimeForfeits, Resignation: 4,
			}
			if counts[c.want] != 4 || s.Engine.Crashes+s.Engine.Hangs+s.Engine.TimeForfeits+s.Engine.IllegalMoves != 0 {
				t.Errorf("counted %+v and %+v", s.Engine, s.Opponent)
			}
		})
	}
}

// A game that is played again is counted: it says nothing new.
func TestRun_repeatedGames(t *testing.T) {
	t.Parallel()
	c := testMatch(t, inProcessEngine(), inProcessEngine())
	c.Engine.Limit.Nodes, c.Games = 500, 2
	if s := mustRun(t, c); s.RepeatedGames != 0 {
		t.Errorf("%d repeated games in one pair", s.RepeatedGames)
	}
	c.Games = 4
	if s := mustRun(t, c); s.RepeatedGames != 2 {
		t.Errorf("%d repeated games in two pairs from one opening, want 2", s.RepeatedGames)
	}
}

// Games without moves, from openings without moves, may start anywhere.
func TestRun_gamesWithoutMoves(t *testing.T) {
	t.Parallel()
	resign := scriptedEngine(func(*scriptedPlayer, *rules.Game, engine.Limits) (engine.Result, error) {
		return engine.Result{}, external.ErrResigned
	})
	if s := mustRun(t, testMatch(t, resign, resign)); s.Games != 4 || s.RepeatedGames != 0 || s.IdenticalPairs != 0 {
		t.Errorf("of %d games %d are repeated, %d pairs the same, want none of 4", s.Games, s.RepeatedGames, s.IdenticalPairs)
	}
}

// Engines that crash or hang are restarted for the next game.
func TestRun_programsThatFail(t *testing.T) {
	t.Parallel()
	for behavior, want := range map[string]Ending{"crash": Crash, "hang": Hang} {
		t.Run(behavior, func(t *testing.T) {
			c := testMatch(t, scriptedEngine(playLegal), fakeProgram(t, behavior))
			c.Games, c.Opponent.Limit = 2, Limit{Depth: 3}
			if want == Hang {
				c.MoveTimeout = 3 * time.Second // of a busy machine
			}
			s := mustRun(t, c)
			if s.Wins != 2 || s.Endings[want] != 2 || s.Opponent.Crashes+s.Opponent.Hangs != 2 {
				t.Errorf("won %d, endings %v, want 2 by %s", s.Wins, s.Endings, want)
			}
			if s.Opponent.Name != "zhbot fake "+behavior || s.Opponent.Depth != 3 || s.Opponent.NPS == 0 {
				t.Errorf("opponent %+v", s.Opponent)
			}
		})
	}
}

func TestRun_programsThatPlay(t *testing.T) {
	t.Parallel()
	c := testMatch(t, inProcessEngine(), fakeProgram(t, "play"))
	c.Concurrency = 2
	if s := mustRun(t, c); s.Games != 4 || s.Opponent.Crashes+s.Opponent.IllegalMoves != 0 {
		t.Errorf("%d games, opponent %+v", s.Games, s.Opponent)
	}
}

// An engine that never worked is an error of the command, not a lost match.
func TestRun_engineThatDoesNotStart(t *testing.T) {
	t.Parallel()
	c := testMatch(t, inProcessEngine(), Program("/no/such/engine", external.Config{}))
	if s, err := Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), "/no/such/engine") || s.Games != 0 {
		t.Errorf("Run returned %+v, %v", s, err)
	}
}

func TestRun_badConfig(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*Config){
		"even number":            func(c *Config) { c.Games = 3 },
		"for at least a ply":     func(c *Config) { c.Adjudication = Adjudication{Score: 1000} },
		"0 games":                func(c *Config) { c.Games = 0 },
		"want at most":           func(c *Config) { c.Games = 2 * maxGames },
		"engine has no limit":    func(c *Config) { c.Opponent.Limit = Limit{} },
		"both a clock and":       func(c *Config) { c.Engine.Limit = Limit{Clock: 1, MoveTime: 1} },
		"neither a clock nor":    func(c *Config) { c.Engine.Limit = Limit{Nodes: 1, NodesTime: 1} },
		"increment but no clock": func(c *Config) { c.Engine.Limit = Limit{Increment: 1, Nodes: 1} },
		"3 shards of 2 pairs":    func(c *Config) { c.Shard, c.StateFile = Shard{Index: 0, Count: 3}, "x" },
		"no state file":          func(c *Config) { c.Shard = Shard{Index: 0, Count: 2} },
		"over all shards": func(c *Config) {
			c.Shard, c.StateFile, c.SPRT = Shard{Index: 0, Count: 2}, "x", &SPRT{0, 10}
		},
	} {
		c := testMatch(t, inProcessEngine(), inProcessEngine())
		change(&c)
		if _, err := Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Run returned %v, want %q", err, want)
		}
	}
}

// resignMostGames resigns all games but every sixth.
func resignMostGames(p *scriptedPlayer, g *rules.Game, l engine.Limits) (engine.Result, error) {
	if p.games%6 == 0 {
		return playLegal(p, g, l)
	}
	return engine.Result{}, external.ErrResigned
}

func TestRun_stopsAtTheVerdict(t *testing.T) {
	t.Parallel()
	c := testMatch(t, scriptedEngine(playLegal), scriptedEngine(resignMostGames))
	c.Games, c.SPRT = 1000, &SPRT{0, 50}
	s := mustRun(t, c)
	if s.SPRT.Verdict != AcceptedH1 || s.Games >= 200 || *s.SPRT.LLR < s.SPRT.Bound {
		t.Errorf("%d games, SPRT %+v, want H1 accepted soon", s.Games, s.SPRT)
	}
	c = testMatch(t, scriptedEngine(resignMostGames), scriptedEngine(playLegal))
	c.Games, c.SPRT = 1000, &SPRT{0, 50}
	if s := mustRun(t, c); s.SPRT.Verdict != AcceptedH0 || s.Games >= 200 {
		t.Errorf("%d games, SPRT %+v, want H0 accepted soon", s.Games, s.SPRT)
	}
}

// An interrupted match that is continued has the same result as an uninterrupted one, even
// if the last line of its file is truncated.
func TestRun_resumes(t *testing.T) {
	t.Parallel()
	config := func() Config {
		c := testMatch(t, inProcessEngine(), inProcessEngine())
		c.Games, c.Openings, c.Engine.Limit.Nodes = 6, RandomOpenings(5), 500
		return c
	}
	whole := mustRun(t, config())

	c := config()
	c.StateFile = filepath.Join(t.TempDir(), "match.jsonl")
	ctx, cancel := context.WithCancel(t.Context())
	c.OnGame = func(_ Game, s Summary) error {
		if s.Games == 3 {
			cancel()
		}
		return nil
	}
	part, err := Run(ctx, c)
	if !errors.Is(err, context.Canceled) || part.Games < 3 || part.Games == c.Games {
		t.Fatalf("the interrupted match returned %d games, %v", part.Games, err)
	}
	truncateLastLine(t, c.StateFile)

	c.OnGame = nil
	var text bytes.Buffer
	c.PGN = &text
	resumed := mustRun(t, c)
	if games, want := readPGN(t, &text), c.Games-part.Games+1; len(games) != want {
		t.Errorf("%d games were played on resuming, want %d", len(games), want)
	}
	again := mustRun(t, c) // nothing is missing
	for _, s := range []Summary{resumed, again} {
		if s.Pentanomial != whole.Pentanomial || s.Wins != whole.Wins || s.Opponent.usage.Nodes != whole.Opponent.usage.Nodes {
			t.Errorf("resumed %+v, want %+v", s, whole)
		}
		if s.Opponent.Name != "zhbot with "+nnue.Default().Name() {
			t.Errorf("the opponent has the name %q", s.Opponent.Name)
		}
	}
}

func truncateLastLine(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.Truncate(path, int64(len(text)-10))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestSummary_json(t *testing.T) {
	t.Parallel()
	c := testMatch(t, inProcessEngine(), inProcessEngine())
	c.SPRT = &SPRT{0, 10}
	text, err := json.Marshal(mustRun(t, c))
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Games int
		Elo   *Elo
		SPRT  struct {
			Elo1    float64
			LLR     *float64
			Verdict string
		}
		Engine struct {
			Name string
			NPS  float64
		}
	}
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	if s.Games != 4 || s.Elo != nil || s.SPRT.LLR != nil || s.SPRT.Elo1 != 10 || s.SPRT.Verdict != "undecided" || s.Engine.Name != "A" || s.Engine.NPS == 0 {
		t.Errorf("JSON %s", text)
	}
}

// An engine can be told from itself with other options.
func TestRun_Suffix(t *testing.T) {
	t.Parallel()
	c := testMatch(t, scriptedEngine(playLegal), scriptedEngine(playLegal))
	c.Opponent.Suffix = " MultiPV=2"
	if s := mustRun(t, c); s.Engine.Name != "A" || s.Opponent.Name != "Scripted MultiPV=2" {
		t.Errorf("%q against %q", s.Engine.Name, s.Opponent.Name)
	}
}

// A match that is interrupted has no verdict, and says so.
func TestRun_StoppedByHand(t *testing.T) {
	t.Parallel()
	c := testMatch(t, scriptedEngine(playLegal), scriptedEngine(playLegal))
	c.SPRT = &SPRT{0, 8}
	ctx, cancel := context.WithCancel(t.Context())
	c.OnGame = func(Game, Summary) error {
		cancel()
		return nil
	}
	s, err := Run(ctx, c)
	if !errors.Is(err, context.Canceled) || s.SPRT.Verdict != Stopped || !strings.Contains(s.Table(), "undecided, stopped by hand") {
		t.Errorf("verdict %q, %v", s.SPRT.Verdict, err)
	}
}
