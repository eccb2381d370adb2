package match

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
)

// The state file of a release goes on: its settings, and the lines of its games.
const (
	oldHeader = `{"engine":"a at 200 nodes","opponent":"b at 200 nodes","openings":"start","margin":0,` +
		`"adjudication":{"Score":0,"Plies":0,"MaxPlies":40}`
	oldState = oldHeader + "}\n" + `{"number":1,"white":"opponent","names":["A","zhbot"],"result":"1-0",` +
		`"ending":"time forfeit","detail":"late by 2ms","moves":"e2e4",` +
		`"usage":[{"moves":0,"nodes":0,"time":0,"depths":0,"deep":0},` +
		`{"moves":1,"nodes":100,"time":1000000,"left":5000000,"depths":7,"deep":1}]}` + "\n"
)

func TestRun_OldState(t *testing.T) {
	t.Parallel()
	c := testMatch(t, inProcessEngine(), inProcessEngine())
	c.StateFile = writeState(t, oldState)
	var played []int
	c.OnGame = func(g Game, _ Summary) error {
		played = append(played, g.Number)
		return nil
	}
	s := mustRun(t, c)
	if s.Games != 4 || len(played) != 3 || s.Endings[TimeForfeit] != 1 || s.Engine.Faults[TimeForfeit] != 1 ||
		s.Losses < 1 {
		t.Errorf("played %v, then %+v; want three games besides the lost one", played, s)
	}
}

func writeState(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "state")
	fixture.Write(t, path, text)
	return path
}

func TestRun_BadState(t *testing.T) {
	t.Parallel()
	header, game, _ := strings.Cut(oldState, "\n")
	for name, tt := range map[string]struct{ text, want string }{
		"another match": {strings.Replace(oldState, `"b at`, `"x at`, 1),
			"its opponent was x at 200 nodes, now b at 200 nodes"},
		"a bad game": {header + "\n{\"number\":0,\"white\":\"engine\",\"result\":\"2-0\"}\n", "line 2"},
		"an unknown contestant": {header + "\n{\"number\":0,\"white\":\"me\",\"result\":\"1-0\"}\n",
			"want engine or opponent"},
		"the wrong contestant": {header + "\n{\"number\":1,\"white\":\"engine\",\"result\":\"1-0\"}\n",
			"does not exist"},
		"the same game again": {oldState + game, "line 3: duplicate game 1"},
		"a shard of it": {strings.Replace(oldState, "}}", `},"games":4,"shard":"0/2"}`, 1),
			"its games was 4, now 0"},
	} {
		c := testMatch(t, inProcessEngine(), inProcessEngine())
		c.StateFile = writeState(t, tt.text)
		if _, err := Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Run returned %v, want %q", name, err, tt.want)
		}
		if after, err := os.ReadFile(c.StateFile); err != nil || string(after) != tt.text {
			t.Errorf("%s: the file is now %q, %v", name, after, err)
		}
	}
}
