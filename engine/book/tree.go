package book

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"github.com/zhbot/zhbot/rules"
)

// node is a position of the book.
type node struct {
	position rules.Position
	ply      int
	loss     int          // centipawns lost on the best path to it
	inBook   [2]bool      // by colour: the side reaches it by book moves only
	moves    []ScoredMove // nil until scored
	place    int          // in the frontier, -1 if not there
}

// plyCost is the cost in centipawns of a ply, compared with those lost on the way, in the
// choice of the next positions: main lines become longer than side lines.
const plyCost = 8

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

// frontier is a heap of the positions to be scored, the one that comes next on top.
type frontier []*node

func (f frontier) Len() int { return len(f) }

func (f frontier) Less(i, j int) bool {
	a, b := f[i], f[j]
	return cmp.Or(cmp.Compare(a.priority(), b.priority()), cmp.Compare(a.position.Key(), b.position.Key())) < 0
}

func (f frontier) Swap(i, j int) {
	f[i], f[j] = f[j], f[i]
	f[i].place, f[j].place = i, j
}

// Push implements [heap.Interface].
func (f *frontier) Push(n any) {
	n.(*node).place = len(*f)
	*f = append(*f, n.(*node))
}

// Pop implements [heap.Interface].
func (f *frontier) Pop() any {
	last := len(*f) - 1
	n := (*f)[last]
	n.place, (*f)[last] = -1, nil
	*f = (*f)[:last]
	return n
}

// tree is a book being built.
type tree struct {
	opts     BuildOptions
	nodes    map[uint64]*node
	frontier frontier // not scored yet
	scored   int
}

// popBatch removes the next positions from the frontier.
func (t *tree) popBatch(count int) (batch []*node) {
	for len(batch) < count && t.frontier.Len() > 0 {
		batch = append(batch, heap.Pop(&t.frontier).(*node))
	}
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
		heap.Push(&t.frontier, &path)
		return
	}
	if old.place >= 0 {
		old.ply, old.loss = min(old.ply, path.ply), min(old.loss, path.loss)
		heap.Fix(&t.frontier, old.place)
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
