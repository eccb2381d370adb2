package book

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
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
	return b.encode()
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

// A move that looks best but loses to a reply is not in the book, and what follows it is not
// searched any more. The others have weights by their loss. The book answers moves that are not
// much worse.
func TestBuild_BacksUp(t *testing.T) {
	scores := map[string]map[string]int{
		"":     {"g2g4": 30, "e2e4": 20, "d2d4": 10, "c2c4": -20, "h2h4": -80},
		"g2g4": {"e7e5": 200}, "e2e4": {"e7e5": -20}, "d2d4": {"e7e5": -10}, "c2c4": {"e7e5": 20},
	}
	start := rules.StartPosition()
	want := []Move{
		{Move: fixture.Move(t, &start, "e2e4"), Weight: 1000, Score: 20},
		{Move: fixture.Move(t, &start, "d2d4"), Weight: 513, Score: 10},
	}
	if got := tableOf(t, scores).Moves(&start); !slices.Equal(got, want) {
		t.Errorf("moves %v, want %v", got, want)
	}
	s := newTableScorer(t, scores)
	b := s.build(t, BuildOptions{Positions: 100})
	if _, p := playLine(t, "g2g4 e7e5"); slices.Contains(s.asked, p.Key()) {
		t.Error("a position after the bad move was searched")
	}
	for line, want := range map[string]int{"e2e4 e7e5": 1, "c2c4": 1, "h2h4": 0} {
		if got := bookMoves(t, b, line); len(got) != want {
			t.Errorf("after %q %v, want %d moves", line, got, want)
		}
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
