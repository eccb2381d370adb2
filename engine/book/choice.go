package book

import (
	"cmp"
	"container/heap"

	"github.com/zhbot/zhbot/rules"
)

// plyCost is the cost in centipawns of a ply, compared with those lost on the way, in the
// choice of the next positions: main lines become longer than side lines.
const plyCost = 8

// choose returns the positions to be scored next, at most count: those on lines, or else
// the most likely ones. It uses the scores backed up so far, so that what follows a move
// that has turned out bad is not searched any more.
func (t *tree) choose(count int) []*node {
	t.backUp()
	t.round++
	if batch := t.chooseOnLines(count); len(batch) > 0 {
		return batch
	}
	return t.chooseLikely(count)
}

// chooseLikely returns the most likely positions that are not scored, for either side's
// book.
func (t *tree) chooseLikely(count int) (batch []*node) {
	q := queue{{t.start, rules.White, 0, 0}, {t.start, rules.Black, 0, 0}}
	for len(batch) < count && q.Len() > 0 {
		v := heap.Pop(&q).(visit)
		n := v.node
		if n.visited[v.side] == t.round {
			continue
		}
		n.visited[v.side] = t.round
		if n.edges == nil {
			if n.chosen != t.round {
				n.chosen = t.round
				batch = append(batch, n)
			}
			continue
		}
		if v.ply+1 >= t.opts.Plies {
			continue
		}
		for i := range n.edges {
			e := &n.edges[i]
			if e.next != nil && e.next.visited[v.side] != t.round && t.inBook(n, e, v.side) {
				heap.Push(&q, visit{e.next, v.side, v.ply + 1, v.cost + n.loss(e) + plyCost})
			}
		}
	}
	return batch
}

// visit is a position on a path for one side's book.
type visit struct {
	node *node
	side rules.Color
	ply  int
	cost int // lower for positions that come earlier
}

// queue is a heap of visits, the one that comes next on top.
type queue []visit

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	a, b := &q[i], &q[j]
	return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.node.position.Key(), b.node.position.Key()), cmp.Compare(a.side, b.side)) < 0
}

func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push implements [heap.Interface].
func (q *queue) Push(v any) { *q = append(*q, v.(visit)) }

// Pop implements [heap.Interface].
func (q *queue) Pop() any {
	last := len(*q) - 1
	v := (*q)[last]
	*q = (*q)[:last]
	return v
}
