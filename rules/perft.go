package rules

import (
	"context"
	"iter"
)

// Perft counts the leaf nodes of the legal move tree; the last ply is counted without being played.
// A depth of 0 or less counts 1.
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

// Divide yields each legal move with the perft of the position after it, one ply less
// deep. The depth is at least 1. When the context ends, so do the moves: ctx.Err() tells
// whether all were counted.
func (p *Position) Divide(ctx context.Context, depth int) iter.Seq2[Move, uint64] {
	return func(yield func(Move, uint64) bool) {
		for _, m := range p.LegalMoves() {
			next := p.After(m)
			nodes := next.perft(ctx, depth-1)
			if ctx.Err() != nil || !yield(m, nodes) {
				return
			}
		}
	}
}

// perft is like [Position.Perft], but meaningless if the context ends meanwhile, which
// is soon noticed.
func (p *Position) perft(ctx context.Context, depth int) (nodes uint64) {
	const quick = 3 // fast even with many drops
	if depth <= quick || ctx.Err() != nil {
		return p.Perft(min(depth, quick))
	}
	for _, m := range p.LegalMoves() {
		next := p.After(m)
		nodes += next.perft(ctx, depth-1)
	}
	return nodes
}
