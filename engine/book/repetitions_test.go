package book

import (
	"context"
	"slices"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

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

func tableOf(t *testing.T, scores map[string]map[string]int) *Table {
	t.Helper()
	b, err := scoredTree(t, scores).table()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// White's book has no move that comes back to an earlier position, but the others.
func TestTree_WhiteDoesNotReturn(t *testing.T) {
	scores := cycle()
	scores["e2e4 e7e5 g1f3 g8f6"]["f3e5"] = 25
	b := tableOf(t, scores)
	for line, want := range map[string][]string{
		"": {"e2e4"}, "e2e4 e7e5": {"g1f3"}, "e2e4 e7e5 g1f3 g8f6": {"f3e5"},
	} {
		if got := bookMoves(t, b, line); !slices.Equal(got, want) {
			t.Errorf("after %q %v, want %v", line, got, want)
		}
	}
}

// A line in which White can only repeat is left before, even for a move that is hardly
// better, and ends where nothing better is left.
func TestTree_WhiteDoesNotGoForADraw(t *testing.T) {
	scores := cycle()
	scores["e2e4 e7e5"]["d2d4"] = -80
	b := tableOf(t, scores)
	for line, want := range map[string][]string{"": {"d2d4"}, "e2e4 e7e5": nil, "e2e4 e7e5 g1f3 g8f6": nil} {
		if got := bookMoves(t, b, line); !slices.Equal(got, want) {
			t.Errorf("after %q %v, want %v", line, got, want)
		}
	}
	if got := bookMoves(t, b, "e2e4"); !slices.Equal(got, []string{"e7e5"}) {
		t.Errorf("Black's answer is %v, want e5, which draws", got)
	}
}

// A position that comes earlier by other moves is no repetition.
func TestTree_TranspositionIsNoRepetition(t *testing.T) {
	b := tableOf(t, map[string]map[string]int{
		"":                    {"e2e4": 20, "e2e3": 20},
		"e2e4":                {"e7e5": -20},
		"e2e3":                {"e7e6": -20},
		"e2e3 e7e6":           {"e3e4": 20},
		"e2e3 e7e6 e3e4":      {"e6e5": -20},
		"e2e4 e7e5":           {"g1f3": 20},
		"e2e4 e7e5 g1f3":      {"b8c6": -20},
		"e2e4 e7e5 g1f3 b8c6": {"f1c4": 20},
	})
	for line, want := range map[string]string{"e2e3 e7e6": "e3e4", "e2e4 e7e5": "g1f3", "e2e4 e7e5 g1f3 b8c6": "f1c4"} {
		if got := bookMoves(t, b, line); !slices.Equal(got, []string{want}) {
			t.Errorf("after %q %v, want %s", line, got, want)
		}
	}
}

// Whatever Black plays, White's book comes to no position twice, even if hardly any move but
// those of knights is scored.
func TestBuild_NoRepetitionForWhite(t *testing.T) {
	scorer := func(_ context.Context, p *rules.Position) (scored []ScoredMove, _ error) {
		for _, m := range p.LegalMoves() {
			next := p.After(m)
			if piece := p.PieceAt(m.From()); piece.Type() == rules.Knight || len(scored) == 0 {
				scored = append(scored, ScoredMove{m, int(next.Key() % 40)})
			}
		}
		return scored, nil
	}
	o := BuildOptions{Positions: 400, Plies: 12, Margin: 30, Replies: 60, Workers: 1}
	b, err := Build(t.Context(), o, func() Scorer { return scorer }, nil)
	if err != nil {
		t.Fatal(err)
	}
	const onLine, done = 1, 2
	state, visited := map[uint64]int{}, 0
	var visit func(p rules.Position)
	visit = func(p rules.Position) {
		state[p.Key()] = onLine
		for _, m := range b.Moves(&p) {
			visited++
			afterMove := p.After(m.Move)
			for _, reply := range afterMove.LegalMoves() {
				next := afterMove.After(reply)
				switch {
				case state[next.Key()] == onLine:
					t.Fatalf("%s, %s comes back to %s", p.FEN(), p.UCI(m.Move), next.FEN())
				case state[next.Key()] == 0:
					visit(next)
				}
			}
		}
		state[p.Key()] = done
	}
	visit(rules.StartPosition())
	if visited < 20 {
		t.Errorf("only %d moves in White's book", visited)
	}
}
