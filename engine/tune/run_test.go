package tune

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/zhbot/zhbot/engine/enginetest"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/engine/match"
	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

func TestMain(m *testing.M) {
	enginetest.Serve(func(string, string, string, int) (pass bool) { return true })
	goleak.VerifyTestMain(m)
}

// testConfig tunes the skill level of the engine.
func testConfig(t *testing.T) Config {
	t.Helper()
	return Config{
		Match: match.Config{
			Engine: match.Side{
				Start: match.Program(enginetest.Command(t, "ok"), external.Config{}), Limit: match.Limit{Nodes: 400},
			},
			Openings:     match.Shuffled([]*rules.Game{rules.NewGame(rules.StartPosition())}, 1),
			OpeningsName: "start",
		},
		Parameters: []Parameter{{Name: "Skill Level", Start: 2, Min: 0, Max: 12, Step: 2}},
		Iterations: 12, Rate: 0.1, Seed: 1,
	}
}

// Tuning raises the level, since a higher level is stronger.
func TestRun_RaisesTheLevel(t *testing.T) {
	c := testConfig(t)
	c.Match.Adjudication = match.Adjudication{Score: 600, Plies: 4}
	s, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if s.Iterations != 12 || s.Values[0] < 4 {
		t.Errorf("level %.1f after %d iterations, want more than 4 after 12", s.Values[0], s.Iterations)
	}
	if table := s.Table(); !strings.Contains(table, "Skill Level  2 ") || strings.Count(table, "\n") != 2 {
		t.Errorf("table:\n%s", table)
	}
}

// An interrupted run that is continued has the same result as an uninterrupted one.
func TestRun_Resumes(t *testing.T) {
	c := testConfig(t)
	c.Parameters = []Parameter{{Name: "MultiPV", Start: 4, Min: 1, Max: 12, Step: 2}} // deterministic
	c.Match.Engine.Limit.Nodes = 100
	c.Iterations, c.Match.Adjudication.MaxPlies = 4, 12
	whole, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	c.Match.StateFile = filepath.Join(t.TempDir(), "tune.state")
	ctx, cancel := context.WithCancel(t.Context())
	c.OnIteration = func(s *State) {
		if s.Iterations == 2 {
			cancel()
		}
	}
	if s, err := Run(ctx, c); !errors.Is(err, context.Canceled) || s.Iterations != 2 {
		t.Fatalf("interrupted after %d iterations: %v", s.Iterations, err)
	}
	// Truncated by a crash.
	fixture.Write(t, c.Match.StateFile, fixture.Read(t, c.Match.StateFile)+`{"iteration":2,"poi`)
	c.OnIteration = nil
	s, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(whole.Table(), s.Table()); diff != "" || s.Iterations != 4 {
		t.Errorf("continued to %d iterations (-whole +continued):\n%s", s.Iterations, diff)
	}
	for want, change := range map[string]func(*Config){
		"its seed was 1, now 2":                      func(c *Config) { c.Seed++ },
		"its openings was start, now others":         func(c *Config) { c.Match.OpeningsName = "others" },
		"its adjudication was {0 0 {0 0 0} 12}, now": func(c *Config) { c.Match.Adjudication.MaxPlies = 100 },
	} {
		other := c
		change(&other)
		if _, err := Run(t.Context(), other); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("other settings: %v, want %q", err, want)
		}
	}
}

// Pairs that finished before others are not played again, nor are the others left out.
func TestRun_ResumesWithGaps(t *testing.T) {
	c := testConfig(t)
	c.Match.Engine.Limit.Nodes, c.Iterations, c.Match.Concurrency = 50, 6, 2
	c.Match.Adjudication.MaxPlies = 12
	c.Match.StateFile = filepath.Join(t.TempDir(), "tune.state")
	text, err := json.Marshal(c.settings())
	if err != nil {
		t.Fatal(err)
	}
	lines := string(text) + `
{"iteration":0,"points":2,"values":[4.5]}
{"iteration":2,"points":0,"values":[4.5]}
{"iteration":4,"points":-1,"values":[4.25]}
`
	fixture.Write(t, c.Match.StateFile, lines)
	if s, err := Run(t.Context(), c); err != nil || s.Iterations != 6 {
		t.Fatalf("continued to %v, %v", s, err)
	}
	after := fixture.Read(t, c.Match.StateFile)
	var numbers []int
	for line := range strings.Lines(strings.TrimPrefix(after, lines)) {
		var i iteration
		if err := json.Unmarshal([]byte(line), &i); err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, i.Number)
	}
	slices.Sort(numbers) // they finish in any order
	if diff := cmp.Diff([]int{1, 3, 5}, numbers); diff != "" {
		t.Errorf("iterations played (-want +got):\n%s", diff)
	}
}

func TestRun_Refuses(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		change     func(*Config)
	}{
		{"no parameters", "0 parameters", func(c *Config) { c.Parameters = nil }},
		{"no rate", "a positive rate", func(c *Config) { c.Rate = 0 }},
		{"no step", "a step above 0", func(c *Config) { c.Parameters[0].Step = 0 }},
		{"start out of bounds", "within the bounds", func(c *Config) { c.Parameters[0].Start = 13 }},
		{"twice", "duplicate parameter", func(c *Config) { c.Parameters = append(c.Parameters, c.Parameters[0]) }},
		{"two limits", "both", func(c *Config) {
			c.Match.Engine.Limit.MoveTime, c.Match.Engine.Limit.Clock = time.Second, time.Second
		}},
		{"no such option", `has no option "Depth"`, func(c *Config) { c.Parameters[0].Name = "Depth" }},
		{"no such engine", "start engine", func(c *Config) {
			c.Match.Engine.Start = match.Program("no-such-engine", external.Config{})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := testConfig(t)
			tt.change(&c)
			c.Match.StateFile = filepath.Join(t.TempDir(), "state")
			if _, err := Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if tt.name == "two limits" && file.Exists(c.Match.StateFile) {
				t.Error("it has a state file with settings that cannot be used")
			}
		})
	}
}
