package book

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// playLine returns the moves of a line from the start position, and the position after it.
func playLine(t *testing.T, uci string) ([]rules.Move, rules.Position) {
	t.Helper()
	g := fixture.Game(t, uci)
	return g.Moves(), *g.Position()
}

// tableScorer has scores for the positions after some lines, and scores one move at 0 in
// the others. It collects the positions that it is asked for.
type tableScorer struct {
	byKey map[uint64][]ScoredMove

	mu    sync.Mutex
	asked []uint64
}

// newTableScorer takes the moves with their scores by the line before them.
func newTableScorer(t *testing.T, scores map[string]map[string]int) *tableScorer {
	t.Helper()
	s := &tableScorer{byKey: map[uint64][]ScoredMove{}}
	for before, moves := range scores {
		_, p := playLine(t, before)
		for uci, score := range moves {
			s.byKey[p.Key()] = append(s.byKey[p.Key()], ScoredMove{fixture.Move(t, &p, uci), score})
		}
	}
	return s
}

func (s *tableScorer) score(_ context.Context, p *rules.Position) ([]ScoredMove, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, p.Key())
	if moves := s.byKey[p.Key()]; moves != nil {
		return slices.Clone(moves), nil
	}
	return []ScoredMove{{p.LegalMoves()[0], 0}}, nil
}

func (s *tableScorer) build(t *testing.T, o BuildOptions) *Table {
	t.Helper()
	o.Plies, o.Margin, o.Replies, o.Workers = 4, 15, 60, 2
	b, err := Build(t.Context(), o, func() Scorer { return s.score }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func tableOf(t *testing.T, scores map[string]map[string]int) *Table {
	t.Helper()
	b, err := scoredTree(t, scores).table()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// bookMoves returns the moves that a book has after a line.
func bookMoves(t *testing.T, b Book, line string) (moves []string) {
	t.Helper()
	_, p := playLine(t, line)
	for _, m := range b.Moves(&p) {
		moves = append(moves, m.Move.String())
	}
	return moves
}
