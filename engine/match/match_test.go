package match

import (
	"bytes"
	"context"
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
	c.Openings = Shuffled(testOpenings(t), 1)
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
	if s.Elo != nil || s.SPRT.Verdict != Undecided {
		t.Errorf("Elo %v, SPRT %+v, want undefined and undecided", s.Elo, s.SPRT)
	}
}

// Each fault of an engine loses its game and is counted. One that crashed or hung is
// started again.
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
			starts := 0 // the games are played one after the other
			config := testMatch(t, scriptedEngine(playLegal), func(ctx context.Context) (Player, error) {
				starts++
				return c.start(ctx)
			})
			config.Opponent.Limit, config.Opponent.Suffix = c.limit, " MultiPV=2"
			s := mustRun(t, config)
			if s.Wins != 4 || s.Endings[c.want] != 4 {
				t.Errorf("won %d, endings %v, want 4 by %s", s.Wins, s.Endings, c.want)
			}
			if again := c.want == Crash || c.want == Hang; again && starts != 4 || !again && starts != 1 {
				t.Errorf("started %d times", starts)
			}
			if s.Engine.Name != "A" || s.Opponent.Name != "Scripted MultiPV=2" {
				t.Errorf("%q against %q", s.Engine.Name, s.Opponent.Name)
			}
			if fault := c.want != Resignation; fault && s.Opponent.Faults[c.want] != 4 ||
				!fault && s.Opponent.Failures() != 0 || s.Engine.Failures() != 0 {
				t.Errorf("counted %+v and %+v", s.Engine, s.Opponent)
			}
		})
	}
}

// A game that is played again is counted, but not one without moves, which may have begun
// from another position.
func TestRun_repeatedGames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		opponent        StartFunc
		games, repeated int
	}{{inProcessEngine(), 2, 0}, {inProcessEngine(), 4, 2}, {scriptedEngine(resign), 4, 0}} {
		c := testMatch(t, tt.opponent, tt.opponent)
		c.Engine.Limit.Nodes, c.Games = 500, tt.games
		if s := mustRun(t, c); s.RepeatedGames != tt.repeated || s.IdenticalPairs != 0 {
			t.Errorf("of %d games %d are repeated, want %d; %d identical pairs",
				tt.games, s.RepeatedGames, tt.repeated, s.IdenticalPairs)
		}
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

// An interrupted match that is continued has the same result as an uninterrupted one, even
// if the last line of its file is truncated.
func TestRun_resumes(t *testing.T) {
	t.Parallel()
	config := func() Config {
		c := testMatch(t, inProcessEngine(), inProcessEngine())
		c.Games, c.Openings, c.Engine.Limit.Nodes = 6, Shuffled(testOpenings(t), 5), 300
		return c
	}
	whole := mustRun(t, config())

	c := config()
	c.StateFile, c.SPRT = filepath.Join(t.TempDir(), "match.jsonl"), &SPRT{0, 8}
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
	if !strings.Contains(part.Table(), "undecided, stopped by hand") {
		t.Errorf("the interrupted match has the verdict %q", part.SPRT.Verdict)
	}
	truncateLastLine(t, c.StateFile)

	c.OnGame, c.SPRT = nil, nil
	var text bytes.Buffer
	c.PGN = &text
	resumed := mustRun(t, c)
	if games, want := readPGN(t, &text), c.Games-part.Games+1; len(games) != want {
		t.Errorf("%d games were played on resuming, want %d", len(games), want)
	}
	again := mustRun(t, c) // nothing is missing
	for _, s := range []Summary{resumed, again} {
		if s.Pentanomial != whole.Pentanomial || s.Wins != whole.Wins ||
			s.Opponent.usage.Nodes != whole.Opponent.usage.Nodes {
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
