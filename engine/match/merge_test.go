package match

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/enginetest"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// testOpenings are the openings of matches.
func testOpenings(t *testing.T) []*rules.Game {
	t.Helper()
	f, err := os.Open("testdata/openings.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	openings, err := ReadOpenings(f, failing(t))
	if err != nil {
		t.Fatal(err)
	}
	return openings
}

// runShards plays a match in shards and returns their state files, the last shard first.
func runShards(t *testing.T, c Config, count int) (files []string) {
	t.Helper()
	dir := t.TempDir()
	for i := range count {
		c.Shard = Shard{Index: i, Count: count}
		c.StateFile = filepath.Join(dir, fmt.Sprintf("%d.state", i))
		c.Concurrency = i%2 + 1
		if s := mustRun(t, c); s.Games != c.OwnGames() {
			t.Errorf("shard %s played %d games, want %d", c.Shard, s.Games, c.OwnGames())
		}
		files = append(files, c.StateFile)
	}
	slices.Reverse(files)
	return files
}

func mustMerge(t *testing.T, files []string) *Merged {
	t.Helper()
	m, err := Merge(files)
	if err == nil {
		err = m.Missing()
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// withoutTimes is a summary but for what the machine's speed decides.
func withoutTimes(t *testing.T, s Summary) string {
	t.Helper()
	for _, side := range []*SideSummary{&s.Engine, &s.Opponent} {
		side.NPS, side.MoveTime = 0, 0
	}
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkMerge fails the test unless the shards of a match play the games that the match
// plays, and their summary is the match's.
func checkMerge(t *testing.T, c Config, shards int) {
	t.Helper()
	want := map[int]string{}
	describe := func(g Game) string {
		return fmt.Sprint(g.White, g.Names, g.Result, g.Ending, g.Usage[Engine].Nodes, g.Usage[Opponent].Nodes, g.Moves)
	}
	c.OnGame = func(g Game, _ Summary) error {
		want[g.Number] = describe(g)
		return nil
	}
	whole := mustRun(t, c)
	c.OnGame = nil

	m := mustMerge(t, runShards(t, c, shards))
	got := map[int]string{}
	for number, g := range m.played {
		got[number] = describe(*g)
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) != c.Games {
		t.Errorf("%d games in shards (-one process +shards):\n%s", len(got), diff)
	}
	if diff := cmp.Diff(withoutTimes(t, whole), withoutTimes(t, m.Summary(nil))); diff != "" {
		t.Errorf("summary (-one process +shards):\n%s", diff)
	}
}

// No game depends on what its engines played before it: not in this process, not in an
// engine program, and not in the choice of book moves.
func TestMerge_IsTheMatchOfOneProcess(t *testing.T) {
	t.Parallel()
	t.Run("openings", func(t *testing.T) {
		t.Parallel()
		c := testMatch(t, inProcessEngine(), fakeProgram(t))
		c.Games, c.Openings, c.Engine.Limit.Nodes = 8, Shuffled(testOpenings(t), 7), 400
		checkMerge(t, c, 3)
	})
	t.Run("book", func(t *testing.T) {
		t.Parallel()
		side, err := newSelf(t, "OwnBook", "true", "BookFile",
			enginetest.WriteBook(t, "a2a4", "b2b4", "c2c4", "d2d4", "h2h4"))
		if err != nil {
			t.Fatal(err)
		}
		c := testMatch(t, side.Start, inProcessEngine())
		c.Games, c.Adjudication.MaxPlies = 8, 16
		first := map[string]bool{}
		c.OnGame = func(g Game, _ Summary) error {
			first[g.Moves[:4]] = g.White == Engine || first[g.Moves[:4]]
			return nil
		}
		mustRun(t, c)
		if len(first) < 3 {
			t.Errorf("the book's games begin with %v, want several moves", first)
		}
		checkMerge(t, c, 4)
	})
}

// resignByOpening resigns at once after three of four openings: a property of the game,
// as the moves of an engine are at fixed nodes.
func resignByOpening(p *scriptedPlayer, g *rules.Game, l engine.Limits) (engine.Result, error) {
	if g.Moves()[0].From()%4 == 0 {
		return playLegal(p, g, l)
	}
	return resign(p, g, l)
}

// The shards play every game; merged, the SPRT stops where a match in one process does.
func TestMerge_SPRT(t *testing.T) {
	t.Parallel()
	for want, test := range map[Verdict]*SPRT{AcceptedH1: {0, 50}, AcceptedH0: {500, 1100}, Undecided: {200, 201}} {
		t.Run(string(want), func(t *testing.T) {
			c := testMatch(t, scriptedEngine(playLegal), scriptedEngine(resignByOpening))
			c.Games, c.Openings, c.SPRT = 200, Shuffled(testOpenings(t), 3), test
			whole := mustRun(t, c)
			c.SPRT = nil
			m := mustMerge(t, runShards(t, c, 4))
			s := m.Summary(test)
			if diff := cmp.Diff(withoutTimes(t, whole), withoutTimes(t, s)); diff != "" || s.SPRT.Verdict != want {
				t.Errorf("verdict %s after %d games, want %s (-one process +shards):\n%s",
					s.SPRT.Verdict, s.Games, want, diff)
			}
			if all := m.Summary(nil); all.Games != 200 || (want == Undecided) != (s.Games == 200) {
				t.Errorf("%d games to the verdict, %d in all", s.Games, all.Games)
			}
		})
	}
}

// A shard that was interrupted is named with its games, and goes on where it stopped. Until
// then only the games before the first missing one count for an SPRT.
func TestMerge_InterruptedShard(t *testing.T) {
	t.Parallel()
	c := testMatch(t, scriptedEngine(playLegal), scriptedEngine(resignByOpening))
	c.Games, c.Openings = 40, Shuffled(testOpenings(t), 3)
	files := runShards(t, c, 2)
	c.Shard, c.StateFile = Shard{Index: 1, Count: 2}, files[0]
	if err := os.Remove(c.StateFile); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	c.OnGame = func(_ Game, s Summary) error {
		if s.Games == 3 {
			cancel()
		}
		return nil
	}
	if _, err := Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	m, err := Merge(files)
	if err != nil {
		t.Fatal(err)
	}
	want := "shard 1/2, " + files[0] + ": 17 games are missing: 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, …"
	if err := m.Missing(); err == nil || err.Error() != want {
		t.Errorf("missing: %v, want %s", err, want)
	}
	if s := m.Summary(nil); s.Games != 23 || s.Pentanomial.Pairs() != 11 {
		t.Errorf("%d games, %d pairs, want 23 and 11", s.Games, s.Pentanomial.Pairs())
	}
	if s := m.Summary(&SPRT{0, 1}); s.Games != 7 {
		t.Errorf("%d games for the SPRT, want the 7 before game 7", s.Games)
	}

	c.OnGame = nil
	if s := mustRun(t, c); s.Games != 20 {
		t.Errorf("the shard has %d games, want 20", s.Games)
	}
	mustMerge(t, files)

	m, err = Merge(files[1:])
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Missing(); err == nil || err.Error() != "shard 1/2: no file" {
		t.Errorf("missing: %v", err)
	}
}

// The state file of a shard: its settings, and the line of a game.
const (
	shardHeader = oldHeader + `,"games":8,"shard":"0/2"}` + "\n"
	shardGame   = `{"number":4,"white":"engine","result":"1-0","ending":"checkmate","moves":"e2e4"}` + "\n"
)

// Whatever is in a file, its games are counted once, or it is refused.
func FuzzMerge(f *testing.F) {
	f.Add(shardHeader)
	f.Add(shardHeader + shardGame)
	f.Add(strings.Replace(shardHeader, "8", "1000", 1) + shardGame + shardGame)
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "state")
		fixture.Write(t, path, text)
		m, err := Merge([]string{path})
		if err != nil {
			return
		}
		s := m.Summary(nil)
		if complete := m.Missing() == nil; s.Games != strings.Count(text, "\n")-1 ||
			complete != (s.Games == m.Games()) {
			t.Errorf("%d of %d games, complete: %t", s.Games, m.Games(), complete)
		}
	})
}

func TestMerge_Refuses(t *testing.T) {
	t.Parallel()
	second := strings.Replace(shardHeader, "0/2", "1/2", 1)
	for want, files := range map[string][]string{
		"another run than file0: games 10, not 8": {shardHeader, strings.Replace(second, `"games":8`, `"games":10`, 1)},
		"file0: 2 games in 2 shards":              {strings.Replace(shardHeader, `"games":8`, `"games":2`, 1)},
		"file1: game 4 is not of shard 1/2":       {shardHeader + shardGame, second + shardGame},
		"file0: duplicate game 4":                 {shardHeader + shardGame + shardGame},
		"file0: game 8 of 8":                      {shardHeader + strings.Replace(shardGame, "4", "8", 1)},
		"line 2":                                  {shardHeader + "x\n"},
		"no settings yet":                         {""},
	} {
		var paths []string
		dir := t.TempDir()
		for i, text := range files {
			path := filepath.Join(dir, fmt.Sprintf("file%d", i))
			fixture.Write(t, path, text)
			paths = append(paths, path)
		}
		_, err := Merge(paths)
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), dir+string(os.PathSeparator), ""), want) {
			t.Errorf("Merge returned %v, want %q", err, want)
		}
	}
}
