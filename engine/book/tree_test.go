package book

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
)

// scoredTree returns a tree of positions with the scores of their moves by the line before
// them, backed up.
func scoredTree(t *testing.T, scores map[string]map[string]int) *tree {
	t.Helper()
	tr := newTree(BuildOptions{Margin: 15, Replies: 60})
	byLength := func(a, b string) int { return len(strings.Fields(a)) - len(strings.Fields(b)) }
	for _, line := range slices.SortedFunc(maps.Keys(scores), byLength) {
		_, p := playLine(t, line)
		var moves []ScoredMove
		for uci, score := range scores[line] {
			moves = append(moves, ScoredMove{fixture.Move(t, &p, uci), score})
		}
		tr.add(tr.nodes[p.Key()], moves)
	}
	tr.backUp()
	return tr
}

// backedUp returns the backed-up score of a move after a line.
func (t *tree) backedUp(test *testing.T, line, uci string) int {
	test.Helper()
	_, p := playLine(test, line)
	m := fixture.Move(test, &p, uci)
	for _, e := range t.nodes[p.Key()].edges {
		if e.move == m {
			return e.backedUp
		}
	}
	test.Fatalf("no move %s after %q", uci, line)
	return 0
}

// cycle has a position to which both sides can return, after 1. e4 e5, with scores by the
// line before them.
func cycle() map[string]map[string]int {
	return map[string]map[string]int{
		"":                         {"e2e4": 30, "d2d4": 5},
		"d2d4":                     {"d7d5": -5},
		"e2e4":                     {"e7e5": -30},
		"e2e4 e7e5":                {"g1f3": 30},
		"e2e4 e7e5 g1f3":           {"g8f6": -30},
		"e2e4 e7e5 g1f3 g8f6":      {"f3g1": 30},
		"e2e4 e7e5 g1f3 g8f6 f3g1": {"f6g8": -30},
	}
}

// A side that can only repeat a cycle has a draw, whatever the search says of each position.
func TestTree_CycleIsADraw(t *testing.T) {
	scores := cycle()
	tr := scoredTree(t, scores)
	if e4, value := tr.backedUp(t, "", "e2e4"), tr.start.value; e4 != 0 || value != 5 {
		t.Errorf("e4 is worth %d, the position %d, want 0 and 5", e4, value)
	}
	// A side that can leave the cycle for something better gets it, sooner or later.
	scores["e2e4 e7e5 g1f3 g8f6"]["f3e5"] = 25
	tr = scoredTree(t, scores)
	if e4, value := tr.backedUp(t, "", "e2e4"), tr.start.value; e4 != 25 || value != 25 {
		t.Errorf("with 3.Nxe5 e4 is worth %d, the position %d, want 25", e4, value)
	}
}

// A position counts for every line to it, also for a longer one.
func TestTree_Transposition(t *testing.T) {
	tr := scoredTree(t, map[string]map[string]int{
		"":               {"e2e4": 30, "e2e3": 5},
		"e2e4":           {"e7e5": -30},
		"e2e4 e7e5":      {"g1f3": 80},
		"e2e3":           {"e7e6": -5},
		"e2e3 e7e6":      {"e3e4": 5},
		"e2e3 e7e6 e3e4": {"e6e5": -5},
	})
	if e3, e4 := tr.backedUp(t, "", "e2e3"), tr.backedUp(t, "", "e2e4"); e3 != 80 || e4 != 80 {
		t.Errorf("e3 is worth %d, e4 %d, want 80: both lead to the same position", e3, e4)
	}
}
