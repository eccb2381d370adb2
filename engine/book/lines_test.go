package book

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// playLine returns the moves of a line from the start position, and the position after it.
func playLine(t *testing.T, uci string) ([]rules.Move, rules.Position) {
	t.Helper()
	g := rulestest.Game(t, uci)
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
			s.byKey[p.Key()] = append(s.byKey[p.Key()], ScoredMove{rulestest.Move(t, &p, uci), score})
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

// bookMoves returns the moves that a book has after a line.
func bookMoves(t *testing.T, b Book, line string) (moves []string) {
	t.Helper()
	_, p := playLine(t, line)
	for _, m := range b.Moves(&p) {
		moves = append(moves, m.Move.String())
	}
	return moves
}

// A position after a reply that looks too bad to be answered is in the book, also beyond
// its depth, and comes before likelier ones.
func TestBuild_Lines(t *testing.T) {
	const lost = "e2e4 b8c6 g1f3 a7a5 f1c4 a5a4"
	scores := map[string]map[string]int{
		"": {"e2e4": 30, "d2d4": 25}, "e2e4": {"e7e5": -30}, "e2e4 b8c6": {"g1f3": 90}, "e2e4 b8c6 g1f3": {"e7e5": -90},
		"e2e4 b8c6 g1f3 a7a5": {"f1c4": 100}, "e2e4 b8c6 g1f3 a7a5 f1c4": {"a5a4": -100}, lost: {"c4f7": 120},
	}
	without := newTableScorer(t, scores).build(t, BuildOptions{Positions: 100})
	if got := bookMoves(t, without, lost); got != nil {
		t.Fatalf("%v in a book that does not answer 1...Nc6", got)
	}
	moves, end := playLine(t, lost)
	s := newTableScorer(t, scores)
	b := s.build(t, BuildOptions{Positions: len(moves) + 1, Lines: [][]rules.Move{moves}})
	if got := bookMoves(t, b, lost); !slices.Equal(got, []string{"c4f7"}) {
		t.Errorf("at the end of the line %v, want c4f7", got)
	}
	if last := s.asked[len(s.asked)-1]; last != end.Key() {
		t.Error("the line is not what came first")
	}
}

// A move of ours that the game refuted is in the book no longer, nor what follows it.
func TestBuild_LineRefutesOwnMove(t *testing.T) {
	moves, _ := playLine(t, "e2e4 b8c6 g1f3 g8f6")
	s := newTableScorer(t, map[string]map[string]int{
		"": {"e2e4": 30, "d2d4": 25}, "e2e4": {"e7e5": -30}, "e2e4 b8c6": {"g1f3": 90},
		"e2e4 b8c6 g1f3": {"e7e5": -90}, "e2e4 b8c6 g1f3 g8f6": {"a2a3": -200},
	})
	b := s.build(t, BuildOptions{Positions: 30, Lines: [][]rules.Move{moves}})
	if got := bookMoves(t, b, ""); !slices.Equal(got, []string{"d2d4"}) {
		t.Errorf("the first move is %v, want d2d4 alone", got)
	}
	if got := bookMoves(t, b, "e2e4 b8c6"); got != nil {
		t.Errorf("%v after a move that the book does not play", got)
	}
}

// A line is followed as soon as the scores say that the book plays its moves.
func TestBuild_LineWaitsForOwnMove(t *testing.T) {
	moves, end := playLine(t, "e2e4 b8c6")
	s := newTableScorer(t, map[string]map[string]int{
		"": {"e2e4": 0, "d2d4": 60}, "d2d4": {"e7e5": 40}, "e2e4": {"e7e5": -30}, "e2e4 b8c6": {"g1f3": 50},
	})
	b := s.build(t, BuildOptions{Positions: 5, Lines: [][]rules.Move{moves}})
	if got := b.Moves(&end); len(got) != 1 {
		t.Errorf("at the end of the line %v", got)
	}
}

// A line for Black is for Black's book; and after a move of ours that is not good enough
// nothing is searched.
func TestBuild_LineEndsAtBadMove(t *testing.T) {
	scores := map[string]map[string]int{
		"": {"e2e4": 30, "a2a3": -200}, "a2a3": {"e7e5": 210, "h7h6": 150}, "a2a3 e7e5": {"e2e4": -210},
		"a2a3 e7e5 e2e4": {"d7d5": 215}, "a2a3 e7e5 h2h3": {"d7d5": 230},
	}
	answered, _ := playLine(t, "a2a3 e7e5 h2h3")
	refused, _ := playLine(t, "a2a3 h7h6 h2h3")
	s := newTableScorer(t, scores)
	b := s.build(t, BuildOptions{Positions: 200, Lines: [][]rules.Move{answered, refused}})
	if got := bookMoves(t, b, "a2a3 e7e5 h2h3"); !slices.Equal(got, []string{"d7d5"}) {
		t.Errorf("Black's answer is %v, want d7d5", got)
	}
	for _, line := range []string{"a2a3 h7h6", "a2a3 h7h6 h2h3"} {
		if _, p := playLine(t, line); slices.Contains(s.asked, p.Key()) {
			t.Errorf("searched after %s", line)
		}
	}
}

func TestBuild_LinesForAnyNumberOfWorkers(t *testing.T) {
	o := BuildOptions{Positions: 100, Plies: 8, Margin: 10, Replies: 30, Workers: 1}
	for _, text := range []string{"e2e4 e7e5 g1f3", "e2e4 e7e5", "d2d4 d7d5 c2c4 e7e6", "g1f3 g8f6 f3g1 f6g8 e2e4"} {
		moves, _ := playLine(t, text)
		o.Lines = append(o.Lines, moves)
	}
	one := buildBytes(t, o)
	o.Workers = 4
	if !bytes.Equal(one, buildBytes(t, o)) {
		t.Error("four workers build another book than one")
	}
	o.Lines = nil
	if bytes.Equal(one, buildBytes(t, o)) {
		t.Error("the lines change nothing")
	}
}

func TestExit(t *testing.T) {
	s := newTableScorer(t, map[string]map[string]int{"": {"e2e4": 30}, "e2e4": {"e7e5": -30}, "e2e4 e7e5": {"g1f3": 30}})
	b := s.build(t, BuildOptions{Positions: 3})
	for _, tt := range []struct {
		moves string
		side  rules.Color
		want  int // plies of the line, -1 for none
	}{
		{"e2e4 e7e5 g1f3 b8c6 f1c4", rules.White, 4},
		{"e2e4 c7c5 g1f3", rules.White, 2},
		{"d2d4 e7e5 g1f3", rules.White, 2}, // whatever the game's move was
		{"e2e4 e7e5 g1f3", rules.White, -1},
		{"", rules.White, -1},
		{"a2a3 e7e5", rules.Black, 1},
	} {
		g := rulestest.Game(t, tt.moves)
		line, ok := Exit(b, g, tt.side)
		if ok != (tt.want >= 0) || ok && len(line) != tt.want {
			t.Errorf("%q: %v, %t, want %d plies", tt.moves, line, ok, tt.want)
		}
	}
	other := rulestest.Position(t, "4k3/8/8/8/8/8/8/4K2R[] w - - 0 1")
	g := rules.NewGame(other)
	rulestest.Play(t, g, "h1h2")
	if line, ok := Exit(b, g, rules.White); ok {
		t.Errorf("%v in a game from another position", line)
	}
}
