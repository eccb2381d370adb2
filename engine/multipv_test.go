package engine

import (
	"context"
	"slices"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

// searchLines searches and returns the lines of the last depth, the best first.
func searchLines(t *testing.T, e *Engine, g *rules.Game, l Limits) (lines []Info, r Result) {
	t.Helper()
	depth := 0
	r, err := e.Search(context.Background(), g, l, func(i Info) {
		if i.MultiPV == 1 {
			lines = nil
			if depth++; i.Depth != depth {
				t.Errorf("depth %d reported after %d", i.Depth, depth-1)
			}
		}
		lines = append(lines, i)
		if i.MultiPV != len(lines) {
			t.Errorf("line %d reported as number %d of its depth", i.MultiPV, len(lines))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines, r
}

func firstMoves(lines []Info) (moves []string) {
	for _, i := range lines {
		moves = append(moves, i.PV[0].String())
	}
	return moves
}

func TestMultiPV_LinesAreLegalDistinctAndSorted(t *testing.T) {
	for _, l := range []Limits{{Depth: 5, MultiPV: 4}, {Nodes: 3000, MultiPV: 4}} {
		g := newGame(t, richPockets)
		lines, r := searchLines(t, newTestEngine(), g, l)
		if len(lines) != 4 {
			t.Fatalf("%d lines, want 4", len(lines))
		}
		moves := firstMoves(lines)
		slices.Sort(moves)
		if len(slices.Compact(moves)) != 4 {
			t.Errorf("lines start with the same move: %v", firstMoves(lines))
		}
		for i, line := range lines {
			if i > 0 && line.Score > lines[i-1].Score {
				t.Errorf("line %d scores %v, more than %v before it", i+1, line.Score, lines[i-1].Score)
			}
			at := g.Clone()
			for _, m := range line.PV {
				if err := at.Play(m); err != nil {
					t.Fatalf("line %d: %v", i+1, err)
				}
			}
		}
		if r.Info.MultiPV != 1 {
			t.Errorf("the move is from line %d, want 1", r.Info.MultiPV)
		}
	}
}

// Each line that mates has the score of a search restricted to its move, which does not depend
// on the table.
func TestMultiPV_Mates(t *testing.T) {
	g := newGame(t, "6rk/6pp/6P1/8/8/8/8/6K1/NQ w - - 0 1")
	lines, r := searchLines(t, newTestEngine(), g, Limits{Depth: 4, MultiPV: 4})
	if r.Move.String() != "N@f7" || r.Info.Score.String() != "mate 1" {
		t.Errorf("move %s, %s, want N@f7, mate 1", r.Move, r.Info.Score)
	}
	for _, line := range lines[1:3] {
		only := mustSearch(t, newTestEngine(), g, Limits{Depth: 4, SearchMoves: line.PV[:1]})
		mate, ok := line.Score.MateIn()
		alone, okAlone := only.Info.Score.MateIn()
		if !ok || !okAlone || mate == 1 || mate != alone {
			t.Errorf("%s is %s as a line and %s alone", line.PV[0], line.Score, only.Info.Score)
		}
	}
}

// Searching further lines does not store a worse move in the table.
func TestMultiPV_SecondLinesStayOutOfTheTable(t *testing.T) {
	e, g := newTestEngine(), newGame(t, "6rk/6pp/8/8/8/8/8/K7/N w - - 0 1")
	searchLines(t, e, g, Limits{Depth: 3, MultiPV: 5})
	known, found := e.table.probe(g.Position().Key(), 0)
	if !found || known.move.String() != "N@f7" {
		t.Errorf("the table has %s (%t), want N@f7", known.move, found)
	}
}

func TestMultiPV_FewerMovesThanLines(t *testing.T) {
	moves := newGame(t, start).Position().LegalMoves()
	for name, tt := range map[string]struct {
		fen    string
		limits Limits
		lines  int
	}{
		"one legal move":          {"R5k1/5p1p/6p1/8/8/8/8/K7/ b - - 0 1", Limits{Depth: 3, MultiPV: 5}, 1},
		"three moves asked for":   {start, Limits{Depth: 3, MultiPV: 9, SearchMoves: moves[:3]}, 3},
		"more lines than moves":   {start, Limits{Depth: 3, MultiPV: 500}, 20},
		"one of the moves to try": {start, Limits{Depth: 3, MultiPV: 2, SearchMoves: moves[:1]}, 1},
	} {
		lines, r := searchLines(t, newTestEngine(), newGame(t, tt.fen), tt.limits)
		if len(lines) != tt.lines || r.Info.MultiPV != 1 {
			t.Errorf("%s: %d lines, the move of line %d; want %d and 1", name, len(lines), r.Info.MultiPV, tt.lines)
		}
	}
}

func TestMultiPV_OneEqualsNone(t *testing.T) {
	g := newGame(t, richPockets)
	without := mustSearch(t, newTestEngine(), g, Limits{Depth: 6})
	one := mustSearch(t, newTestEngine(), g, Limits{Depth: 6, MultiPV: 1})
	if one.Move != without.Move || one.Info.Nodes != without.Info.Nodes || one.Info.MultiPV != 0 {
		t.Errorf("%+v, want %+v", one, without)
	}
}

// A search that ends as the next depth begins reports the depth before, with what it has seen.
func TestMultiPV_SelDepth(t *testing.T) {
	for nodes := uint64(300); nodes < 400; nodes++ {
		r := mustSearch(t, newTestEngine(), newGame(t, start), Limits{Nodes: nodes, MultiPV: 2})
		if i := r.Info; i.SelDepth < i.Depth {
			t.Errorf("%d nodes: depth %d, of which %d seen", nodes, i.Depth, i.SelDepth)
		}
	}
}
