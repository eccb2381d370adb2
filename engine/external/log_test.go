package external

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// The log has what both sides say, in order.
func TestEngine_log(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var lines []string
	log := func(line string, sent bool) {
		mu.Lock()
		defer mu.Unlock()
		if !strings.HasPrefix(line, "option") && !strings.HasPrefix(line, "id author") {
			lines = append(lines, fmt.Sprint(sent, " ", line))
		}
	}
	c, err := New(t.Context(), startFake(t, "other-move"), Config{Log: log})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Search(t.Context(), rulestest.Game(t), engine.Limits{Nodes: 1}); err != nil {
		t.Fatal(err)
	}
	c.Close()
	mu.Lock()
	defer mu.Unlock()
	want := []string{
		"true uci", "false id name zhbot fake other-move", "false uciok",
		"true setoption name UCI_Variant value crazyhouse",
		"true isready", "false readyok", "true position startpos", "true isready", "false readyok",
		"true go nodes 1", "false info depth 1 score cp 10 nodes 20 pv d2d4", "false bestmove e2e4 ponder e2e4",
		"true quit",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}
