package book

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/zhbot/zhbot/rules"
)

// ScoredMove is a move with its score for the side to move, in centipawns.
type ScoredMove struct {
	Move  rules.Move
	Score int
}

// Scorer scores the moves of a position that are worth it. To make books
// repeatable, what it says must depend on the position only. It fails when the
// context ends.
type Scorer func(ctx context.Context, p *rules.Position) ([]ScoredMove, error)

// BuildOptions say how large a book is to become.
type BuildOptions struct {
	Positions int // to judge, at most
	Plies     int // how deep, at most
	Margin    int // centipawns that a move of the book may be worse than the best
	Replies   int // centipawns that an opponent's move may be worse and still be answered
	Workers   int // positions judged at once; the book does not depend on it
	// Note says how the book was made, given how many positions were judged.
	Note func(positions int) string
}

// growBatch is how many positions are judged before the next are chosen. It is
// the same for any number of workers, so that the book is.
const growBatch = 32

// plyCost is what a ply more counts, beside the centipawns that were given away on the way, in
// the choice of the next positions: main lines grow deeper than side lines.
const plyCost = 8

// Build makes a book by judging positions from the start position on. The most
// likely ones come first: those reached by few plies and good moves. At the end
// the scores are backed up, so that a move is judged by what comes of it.
//
// A position is in the book if at least one side has played book moves only; the
// other's may be worse, so that they are answered. When the context ends, Build
// returns the book of what was judged until then, with the context's error.
func Build(ctx context.Context, o BuildOptions, newJudge func() Scorer, report func(positions int)) (*Table, error) {
	t := &tree{opts: o, nodes: map[uint64]*node{}}
	start := rules.StartPosition()
	t.reach(&start, node{ours: [2]bool{true, true}})
	judges := make(chan Scorer, max(1, o.Workers))
	for range cap(judges) {
		judges <- newJudge()
	}
	var failed error
	for failed == nil && t.judged < o.Positions && len(t.open) > 0 {
		batch := t.next(min(growBatch, o.Positions-t.judged))
		failed = judgeAll(ctx, judges, batch)
		t.expand(batch)
		if report != nil {
			report(t.judged)
		}
	}
	book, err := t.table()
	if err != nil {
		return nil, err
	}
	return book, failed
}

// judgeAll judges positions, as many at once as there are judges.
func judgeAll(ctx context.Context, judges chan Scorer, batch []*node) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cap(judges))
	for _, n := range batch {
		g.Go(func() error {
			judge := <-judges
			defer func() { judges <- judge }()
			if err := ctx.Err(); err != nil {
				return err
			}
			moves, err := judge(ctx, &n.position)
			if err != nil {
				return fmt.Errorf("judge %s: %w", n.position.FEN(), err)
			}
			n.moves = moves
			return nil
		})
	}
	return g.Wait()
}

// node is a position of the book to be.
type node struct {
	position rules.Position
	ply      int
	loss     int          // centipawns given away on the best way to it
	ours     [2]bool      // by colour: reached although this side played book moves only
	moves    []ScoredMove // nil until judged
}

// rank is less for positions that come sooner.
func (n *node) rank() int { return n.loss + plyCost*n.ply }

// best returns the score of the best move.
func (n *node) best() int {
	best := -math.MaxInt16
	for _, m := range n.moves {
		best = max(best, m.Score)
	}
	return best
}

// tree is a book that grows.
type tree struct {
	opts   BuildOptions
	nodes  map[uint64]*node
	open   []*node // known but not judged
	judged int
}

// next takes the open positions that come first.
func (t *tree) next(count int) []*node {
	slices.SortFunc(t.open, func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.position.Key(), b.position.Key()))
	})
	count = min(count, len(t.open))
	batch := t.open[:count:count]
	t.open = slices.Clone(t.open[count:])
	return batch
}

// expand takes in the positions after the moves of those judged. Those that were
// not, because the context ended, are left out.
func (t *tree) expand(batch []*node) {
	for _, n := range batch {
		if n.moves != nil {
			t.judged++
			t.follow(n)
		}
	}
}

// follow reaches the positions after a judged one.
func (t *tree) follow(n *node) {
	if n.ply+1 >= t.opts.Plies {
		return
	}
	best, mover := n.best(), n.position.Turn()
	for _, m := range n.moves {
		loss := best - m.Score
		next := node{ply: n.ply + 1, loss: n.loss + loss, ours: n.ours}
		next.ours[mover] = n.ours[mover] && loss <= t.opts.Margin
		next.ours[mover.Other()] = n.ours[mover.Other()] && loss <= t.opts.Replies
		if next.ours == [2]bool{} {
			continue
		}
		if p := n.position.After(m.Move); p.HasLegalMove() {
			t.reach(&p, next)
		}
	}
}

// reach takes in a way to a position, which may be known already.
func (t *tree) reach(p *rules.Position, way node) {
	known := t.nodes[p.Key()]
	if known == nil {
		way.position = *p
		t.nodes[p.Key()] = &way
		t.open = append(t.open, &way)
		return
	}
	if known.moves == nil {
		known.ply, known.loss = min(known.ply, way.ply), min(known.loss, way.loss)
	}
	before := known.ours
	for c, ours := range way.ours {
		known.ours[c] = known.ours[c] || ours
	}
	if known.ours != before && known.moves != nil {
		t.follow(known) // what was not worth an answer may be now
	}
}

// backUp replaces the scores of moves by those of what comes of them, from the
// deepest positions up.
func (t *tree) backUp() []*node {
	var judged []*node
	for _, n := range t.nodes {
		if n.moves != nil {
			judged = append(judged, n)
		}
	}
	slices.SortFunc(judged, func(a, b *node) int {
		return cmp.Or(cmp.Compare(b.ply, a.ply), cmp.Compare(a.position.Key(), b.position.Key()))
	})
	for _, n := range judged {
		for i, m := range n.moves {
			p := n.position.After(m.Move)
			if next := t.nodes[p.Key()]; next != nil && len(next.moves) > 0 && next.ply > n.ply {
				n.moves[i].Score = -next.best()
			}
		}
	}
	return judged
}

// The weight of a move falls by e with each of so many centipawns that it is
// worse than the best.
const (
	bestWeight = 1000
	weightFall = 15.0
)

// table returns the book of what was judged.
func (t *tree) table() (*Table, error) {
	var entries []entry
	for _, n := range t.backUp() {
		if !n.ours[n.position.Turn()] {
			continue
		}
		best := n.best()
		for _, m := range n.moves {
			loss := best - m.Score
			if loss > t.opts.Margin {
				continue
			}
			entries = append(entries, entry{
				key: n.position.Key(), move: m.Move, score: clampScore(m.Score),
				weight: uint16(max(1, bestWeight*math.Exp(-float64(loss)/weightFall))),
			})
		}
	}
	note := ""
	if t.opts.Note != nil {
		note = t.opts.Note(t.judged)
	}
	all, err := newTable(note, entries)
	if err != nil {
		return nil, err
	}
	return all.reached()
}

// clampScore makes a score fit an entry.
func clampScore(score int) int16 {
	return int16(min(max(score, -math.MaxInt16), math.MaxInt16))
}
