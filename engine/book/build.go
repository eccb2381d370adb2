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

// ScoredMove is a move with its score in centipawns for the side to move.
type ScoredMove struct {
	Move  rules.Move
	Score int
}

// Scorer returns the promising moves of a position with their scores, or an error if the
// context is done. For a book to be repeatable, the result must depend on the position
// only.
type Scorer func(ctx context.Context, p *rules.Position) ([]ScoredMove, error)

// BuildOptions are the limits of a book and how to build it.
type BuildOptions struct {
	Positions int // maximum number of positions to score
	Plies     int // maximum depth in plies
	Margin    int // maximum loss of a book move against the best one, in centipawns
	Replies   int // maximum loss of an opponent's move that the book answers, in centipawns
	Workers   int // positions scored at a time; does not change the book
	// Note returns the note of the book, given the number of positions scored.
	Note func(positions int) string
}

// batchSize is how many positions are scored before the next ones are chosen. It does not
// depend on the number of workers, so neither does the book.
const batchSize = 32

// plyCost is the cost in centipawns of a ply, compared with those lost on the way, in the
// choice of the next positions: main lines become longer than side lines.
const plyCost = 8

// Build builds a book by scoring positions from the start position on. It calls newScorer
// once per worker, and report, if not nil, after each batch with the number of positions
// scored. The most likely positions come first: few plies away, by good moves. At the end
// the scores are backed up, so that the score of a move is that of its best continuation.
//
// A position is in the book if at least one side reaches it by book moves only; the moves
// of the other may be worse, so that the book answers them. If the context is done, Build
// returns the book of the positions scored so far and the context's error.
func Build(ctx context.Context, o BuildOptions, newScorer func() Scorer, report func(positions int)) (*Table, error) {
	t := &tree{opts: o, nodes: map[uint64]*node{}}
	start := rules.StartPosition()
	t.addPosition(&start, node{inBook: [2]bool{true, true}})
	scorers := make(chan Scorer, max(1, o.Workers))
	for range cap(scorers) {
		scorers <- newScorer()
	}
	var scoreErr error
	for scoreErr == nil && t.scored < o.Positions && len(t.frontier) > 0 {
		batch := t.popBatch(min(batchSize, o.Positions-t.scored))
		scoreErr = scoreAll(ctx, scorers, batch)
		t.expand(batch)
		if report != nil {
			report(t.scored)
		}
	}
	book, err := t.table()
	if err != nil {
		return nil, err
	}
	return book, scoreErr
}

// scoreAll scores positions, as many at a time as there are scorers.
func scoreAll(ctx context.Context, scorers chan Scorer, batch []*node) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cap(scorers))
	for _, n := range batch {
		g.Go(func() error {
			scorer := <-scorers
			defer func() { scorers <- scorer }()
			if err := ctx.Err(); err != nil {
				return err
			}
			moves, err := scorer(ctx, &n.position)
			if err != nil {
				return fmt.Errorf("score %s: %w", n.position.FEN(), err)
			}
			n.moves = moves
			return nil
		})
	}
	return g.Wait()
}

// node is a position of the book.
type node struct {
	position rules.Position
	ply      int
	loss     int          // centipawns lost on the best path to it
	inBook   [2]bool      // by colour: the side reaches it by book moves only
	moves    []ScoredMove // nil until scored
}

// priority is lower for positions that come earlier.
func (n *node) priority() int { return n.loss + plyCost*n.ply }

// best returns the score of the best move.
func (n *node) best() int {
	best := -math.MaxInt16
	for _, m := range n.moves {
		best = max(best, m.Score)
	}
	return best
}

// tree is a book being built.
type tree struct {
	opts     BuildOptions
	nodes    map[uint64]*node
	frontier []*node // not scored yet
	scored   int
}

// popBatch removes the next positions from the frontier.
func (t *tree) popBatch(count int) []*node {
	slices.SortFunc(t.frontier, func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.priority(), b.priority()), cmp.Compare(a.position.Key(), b.position.Key()))
	})
	count = min(count, len(t.frontier))
	batch := t.frontier[:count:count]
	t.frontier = slices.Clone(t.frontier[count:])
	return batch
}

// expand adds the children of the scored positions of a batch. Those not scored, because
// the context was done, are skipped.
func (t *tree) expand(batch []*node) {
	for _, n := range batch {
		if n.moves != nil {
			t.scored++
			t.addChildren(n)
		}
	}
}

// addChildren adds the positions after the moves of a scored one.
func (t *tree) addChildren(n *node) {
	if n.ply+1 >= t.opts.Plies {
		return
	}
	best, side := n.best(), n.position.Turn()
	for _, m := range n.moves {
		loss := best - m.Score
		next := node{ply: n.ply + 1, loss: n.loss + loss, inBook: n.inBook}
		next.inBook[side] = n.inBook[side] && loss <= t.opts.Margin
		next.inBook[side.Other()] = n.inBook[side.Other()] && loss <= t.opts.Replies
		if next.inBook == [2]bool{} {
			continue
		}
		if p := n.position.After(m.Move); p.HasLegalMove() {
			t.addPosition(&p, next)
		}
	}
}

// addPosition adds a path to a position, which may be in the tree already.
func (t *tree) addPosition(p *rules.Position, path node) {
	old := t.nodes[p.Key()]
	if old == nil {
		path.position = *p
		t.nodes[p.Key()] = &path
		t.frontier = append(t.frontier, &path)
		return
	}
	if old.moves == nil {
		old.ply, old.loss = min(old.ply, path.ply), min(old.loss, path.loss)
	}
	before := old.inBook
	for c, in := range path.inBook {
		old.inBook[c] = old.inBook[c] || in
	}
	if old.inBook != before && old.moves != nil {
		t.addChildren(old) // more children may be in the book now
	}
}

// backUp replaces the scores of moves by those of the positions after them, from the
// deepest positions up.
func (t *tree) backUp() []*node {
	var scored []*node
	for _, n := range t.nodes {
		if n.moves != nil {
			scored = append(scored, n)
		}
	}
	slices.SortFunc(scored, func(a, b *node) int {
		return cmp.Or(cmp.Compare(b.ply, a.ply), cmp.Compare(a.position.Key(), b.position.Key()))
	})
	for _, n := range scored {
		for i, m := range n.moves {
			p := n.position.After(m.Move)
			if next := t.nodes[p.Key()]; next != nil && len(next.moves) > 0 && next.ply > n.ply {
				n.moves[i].Score = -next.best()
			}
		}
	}
	return scored
}

// The weight of a move is bestWeight·exp(-loss/weightDecay), with its loss against the best
// move in centipawns.
const (
	bestWeight  = 1000
	weightDecay = 15.0
)

// table returns the book of the scored positions.
func (t *tree) table() (*Table, error) {
	var entries []entry
	for _, n := range t.backUp() {
		if !n.inBook[n.position.Turn()] {
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
				weight: uint16(max(1, bestWeight*math.Exp(-float64(loss)/weightDecay))),
			})
		}
	}
	note := ""
	if t.opts.Note != nil {
		note = t.opts.Note(t.scored)
	}
	table, err := newTable(note, entries)
	if err != nil {
		return nil, err
	}
	return table.reachable()
}

// clampScore limits a score to the range of an entry.
func clampScore(score int) int16 {
	return int16(min(max(score, -math.MaxInt16), math.MaxInt16))
}
