package rules

import (
	"context"
	"iter"
)

// Perft counts the leaf nodes of the legal move tree; the last ply is counted
// without being played.
func (p *Position) Perft(depth int) uint64 {
	switch {
	case depth <= 0:
		return 1
	case depth == 1:
		return uint64(p.CountMoves())
	}
	var l MoveList
	var next Position
	p.Generate(&l, All)
	nodes := uint64(0)
	for _, m := range l.Moves() {
		p.PlayInto(m, &next)
		nodes += next.Perft(depth - 1)
	}
	return nodes
}

// PerftContext is like [Position.Perft], but stops when the context is cancelled.
func (p *Position) PerftContext(ctx context.Context, depth int) (uint64, error) {
	const quick = 3 // fast even with many drops
	if depth <= quick {
		return p.Perft(depth), ctx.Err()
	}
	var l MoveList
	var next Position
	p.Generate(&l, All)
	nodes := uint64(0)
	for _, m := range l.Moves() {
		p.PlayInto(m, &next)
		n, err := next.PerftContext(ctx, depth-1)
		if err != nil {
			return 0, err
		}
		nodes += n
	}
	return nodes, nil
}

// Divide yields each legal move with the perft of the position after it, one
// ply less deep. The depth is at least 1.
func (p *Position) Divide(depth int) iter.Seq2[Move, uint64] {
	return func(yield func(Move, uint64) bool) {
		for _, m := range p.LegalMoves() {
			next := p.After(m)
			if !yield(m, next.Perft(depth-1)) {
				return
			}
		}
	}
}
