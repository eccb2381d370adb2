package book

import (
	"slices"
	"testing"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// The nodes are shared by all moves, and a score depends on the position only.
func TestNewScorer_Budget(t *testing.T) {
	start := rules.StartPosition()
	const nodes = 30_000
	_, spent, err := scoreMoves(t.Context(), engine.New(engine.Options{Threads: 1, HashMB: 1}), &start,
		start.LegalMoves(), nodes)
	if err != nil || spent < nodes*9/10 || spent > nodes*11/10 {
		t.Errorf("%d nodes spent of %d, %v", spent, nodes, err)
	}
	other := start.After(start.LegalMoves()[0])
	score, used := NewScorer(Search{HashMB: 1, Nodes: nodes, Replies: 60}),
		NewScorer(Search{HashMB: 1, Nodes: nodes, Replies: 60})
	want, err := score(t.Context(), &start)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := used(t.Context(), &other); err != nil {
		t.Fatal(err)
	}
	if got, err := used(t.Context(), &start); err != nil || !slices.Equal(got, want) {
		t.Errorf("after another position %v, %v; want %v", got, err, want)
	}
}

// Even the smallest budget compares moves by their own searches.
func TestNewScorer_MinNodes(t *testing.T) {
	p := fixture.Position(t, "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR[] b KQkq - 0 2")
	moves, err := NewScorer(Search{HashMB: 1, Nodes: MinNodes, Replies: 60})(t.Context(), &p)
	if err != nil || len(moves) != 1 || p.SAN(moves[0].Move) != "Qh4#" {
		t.Errorf("%v, %v; want Qh4 mate alone", moves, err)
	}
}

// Moves far worse than the best are not searched again, and not in the result.
func TestNewScorer(t *testing.T) {
	p := fixture.Position(t, "6k1/5ppp/8/8/8/8/5PPP/6K1/R w - - 0 1") // mate by a drop
	moves, err := NewScorer(Search{HashMB: 1, Nodes: 1000, Replies: 60})(t.Context(), &p)
	if err != nil {
		t.Fatal(err)
	}
	mate := engine.MateScore(1)
	for _, m := range moves {
		if m.Score != int(mate) {
			t.Errorf("%s has the score %d, want only mates in one", p.SAN(m.Move), m.Score)
		}
	}
	if len(moves) == 0 {
		t.Error("no moves")
	}
}
