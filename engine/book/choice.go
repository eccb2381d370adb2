package book

import (
	"cmp"
	"slices"

	"github.com/zhbot/zhbot/rules"
)

// plyCost is the cost in centipawns of a ply, compared with those lost on the way, in the
// choice of the next positions: main lines become longer than side lines.
const plyCost = 8

// choose returns the positions to be scored next, at most count: the most likely ones, for
// either side's book. It uses the scores backed up so far, so that what follows a move that
// has turned out bad is not searched any more.
func (t *tree) choose(count int) (batch []*node) {
	t.backUp()
	t.round++
	// The cost of a visit is lower for positions that come earlier. As each ply costs
	// something, all visits of a cost are known before the first of them.
	byCost := [][]visit{{{t.start, rules.White, 0}, {t.start, rules.Black, 0}}}
	for cost := 0; cost < len(byCost); cost++ {
		slices.SortFunc(byCost[cost], visit.order)
		for _, v := range byCost[cost] {
			n := v.node
			if len(batch) == count {
				return batch
			}
			if n.visited[v.side] == t.round {
				continue
			}
			n.visited[v.side] = t.round
			if n.edges == nil && n.chosen != t.round {
				n.chosen = t.round
				batch = append(batch, n)
			}
			if v.ply+1 >= t.opts.Plies {
				continue
			}
			for i := range n.edges {
				e := &n.edges[i]
				if e.next == nil || e.next.visited[v.side] == t.round || !t.inBook(n, e, v.side) {
					continue
				}
				next := cost + n.loss(e) + plyCost
				for len(byCost) <= next {
					byCost = append(byCost, nil)
				}
				byCost[next] = append(byCost[next], visit{e.next, v.side, v.ply + 1})
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
}

// order makes the choice among positions of the same cost repeatable.
func (v visit) order(other visit) int {
	return cmp.Or(cmp.Compare(v.node.position.Key(), other.node.position.Key()), cmp.Compare(v.side, other.side))
}
