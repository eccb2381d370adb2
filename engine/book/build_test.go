package book

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// keyScorer scores each of the first few moves by the key of the position after it.
func keyScorer(_ context.Context, p *rules.Position) ([]ScoredMove, error) {
	moves := p.LegalMoves()
	var scored []ScoredMove
	for _, m := range moves[:min(6, len(moves))] {
		next := p.After(m)
		scored = append(scored, ScoredMove{m, int(next.Key() % 50)})
	}
	return scored, nil
}

func buildBytes(t *testing.T, o BuildOptions) []byte {
	t.Helper()
	b, err := Build(t.Context(), o, func() Scorer { return keyScorer }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return encoded(t, b)
}

func TestBuild_SameForAnyNumberOfWorkers(t *testing.T) {
	o := BuildOptions{Positions: 300, Plies: 8, Margin: 10, Replies: 30, Workers: 1}
	one := buildBytes(t, o)
	o.Workers = 4
	if !bytes.Equal(one, buildBytes(t, o)) {
		t.Error("four workers build another book than one")
	}
}

// The book starts at the start position, stays within the margin for one side, and is not
// deeper than requested.
func TestBuild_Bounds(t *testing.T) {
	o := BuildOptions{Positions: 200, Plies: 3, Margin: 10, Replies: 30, Workers: 2}
	var most atomic.Int64
	b, err := Build(t.Context(), o, func() Scorer { return keyScorer }, func(n int) { most.Store(int64(n)) })
	if err != nil {
		t.Fatal(err)
	}
	if n := most.Load(); n < 1 || n > int64(o.Positions) {
		t.Errorf("%d positions scored, want 1 to %d", n, o.Positions)
	}
	found := map[uint64]bool{}
	collectPositions(b, rules.StartPosition(), o.Plies, found)
	if len(found) == 0 || len(found) > b.Positions() {
		t.Errorf("%d of %d positions found within %d plies", len(found), b.Positions(), o.Plies)
	}
	start := rules.StartPosition()
	moves := b.Moves(&start)
	best := slices.MaxFunc(moves, func(a, b Move) int { return cmp.Compare(a.Score, b.Score) })
	for _, m := range moves {
		if best.Score-m.Score > o.Margin || m.Weight > best.Weight {
			t.Errorf("%v is in the book beside %v", m, best)
		}
	}
}

// collectPositions collects the positions of the book that any moves reach.
func collectPositions(b *Table, p rules.Position, plies int, found map[uint64]bool) {
	if len(b.Moves(&p)) > 0 {
		found[p.Key()] = true
	}
	if plies == 0 {
		return
	}
	for _, m := range p.LegalMoves() {
		collectPositions(b, p.After(m), plies-1, found)
	}
}

// A move that looks best but loses to a reply is not in the book.
func TestBuild_BacksUp(t *testing.T) {
	start := rules.StartPosition()
	trap, good := rulestest.Move(t, &start, "g1f3"), rulestest.Move(t, &start, "e2e4")
	scorer := func(_ context.Context, p *rules.Position) ([]ScoredMove, error) {
		if p.Key() == start.Key() {
			return []ScoredMove{{trap, 30}, {good, 20}}, nil
		}
		afterTrap := start.After(trap)
		score := -20
		if p.Key() == afterTrap.Key() {
			score = 200
		}
		return []ScoredMove{{rulestest.Move(t, p, "e7e5"), score}}, nil
	}
	b, err := Build(t.Context(), BuildOptions{Positions: 3, Plies: 4, Margin: 15, Replies: 30, Workers: 1}, func() Scorer { return scorer }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Moves(&start); len(got) != 1 || got[0].Move != good || got[0].Score != 20 {
		t.Errorf("moves %v, want %v at 20", got, good)
	}
}

// What follows a move that has turned out bad is not searched any more.
func TestBuild_LeavesBadMoves(t *testing.T) {
	s := newTableScorer(t, map[string]map[string]int{
		"": {"g2g4": 30, "e2e4": 20}, "g2g4": {"e7e5": 200}, "e2e4": {"e7e5": -20},
	})
	b := s.build(t, BuildOptions{Positions: 100})
	if _, p := playLine(t, "g2g4 e7e5"); slices.Contains(s.asked, p.Key()) {
		t.Error("a position after the bad move was searched")
	}
	if got := bookMoves(t, b, "e2e4 e7e5"); len(got) != 1 {
		t.Errorf("after the good move %v", got)
	}
}

// A cancelled Build returns the book of the positions scored so far.
func TestBuild_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b, err := Build(ctx, BuildOptions{Positions: 1000, Plies: 10, Margin: 50, Replies: 50, Workers: 1},
		func() Scorer { return keyScorer }, func(n int) {
			if n >= 30 {
				cancel()
			}
		})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	start := rules.StartPosition()
	if b == nil || len(b.Moves(&start)) == 0 {
		t.Error("the book of the scored positions is missing")
	}
}

func TestBuild_ScorerFails(t *testing.T) {
	broken := errors.New("broken")
	_, err := Build(t.Context(), BuildOptions{Positions: 5, Plies: 3, Workers: 2}, func() Scorer {
		return func(context.Context, *rules.Position) ([]ScoredMove, error) { return nil, broken }
	}, nil)
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the scorer", err)
	}
}

// Positions after a move that turned out bad are not in the book.
func TestTable_Reachable(t *testing.T) {
	start := rules.StartPosition()
	after := func(p rules.Position, uci string) rules.Position {
		next, err := p.Play(rulestest.Move(t, &p, uci))
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	e4, d4 := after(start, "e2e4"), after(start, "d2d4")
	e4e5, d4d5 := after(e4, "e7e5"), after(d4, "d7d5")
	b, err := newTable("", []entry{
		{key: start.Key(), move: rulestest.Move(t, &start, "e2e4"), weight: 1},
		{key: e4e5.Key(), move: rulestest.Move(t, &e4e5, "g1f3"), weight: 1}, // for White, who plays e4
		{key: d4.Key(), move: rulestest.Move(t, &d4, "d7d5"), weight: 1},     // for Black, whatever White plays
		{key: d4d5.Key(), move: rulestest.Move(t, &d4d5, "g1f3"), weight: 1}, // White does not play d4
	})
	if err != nil {
		t.Fatal(err)
	}
	if b, err = b.reachable(); err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*rules.Position{"start": &start, "e4 e5": &e4e5, "d4": &d4} {
		if len(b.Moves(p)) != 1 {
			t.Errorf("%s is missing", name)
		}
	}
	if moves := b.Moves(&d4d5); len(moves) != 0 {
		t.Errorf("d4 d5 is there with %v", moves)
	}
}
