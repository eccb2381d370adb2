package book

import "github.com/zhbot/zhbot/rules"

// avoidRepetitions takes the moves out of White's book with which its opponent could come
// back to an earlier position, and scores them as worse than an even position by more than
// the margin. White, who is the better in the start position, then goes for a draw neither by
// such a move nor by a line in which nothing but one is left. Where that is so, the book
// ends, and the search decides.
//
// Moves that come within the margin thereby may repeat, too, hence the loop.
func (t *tree) avoidRepetitions() {
	for found := true; found; t.backUp() {
		found = false
		cycles := t.cycles()
		for n := range cycles {
			for i := range n.edges {
				if e := &n.edges[i]; t.playsOn(n, e) && t.returns(n, e, cycles) {
					e.repeats, e.followed = true, false
					e.backedUp = min(e.backedUp, -t.opts.Margin-1)
					found = true
				}
			}
		}
	}
}

// returns reports whether a reply to a move leads to a position of the same cycle that comes
// no later than the one before the move. Each cycle has such a move.
func (t *tree) returns(n *node, e *edge, cycles map[*node]int) bool {
	for _, w := range t.afterReplies(e.next) {
		if cycles[w] == cycles[n] && w.ply <= n.ply {
			return true
		}
	}
	return false
}

// afterReplies returns the scored positions after any replies, also those that were not
// promising enough to be scored.
func (t *tree) afterReplies(n *node) (positions []*node) {
	for _, m := range n.position.LegalMoves() {
		p := n.position.After(m)
		if w := t.nodes[p.Key()]; w != nil && w.edges != nil {
			positions = append(positions, w)
		}
	}
	return positions
}

// playsOn reports whether White's book has a move, and the game goes on after it.
func (t *tree) playsOn(n *node, e *edge) bool {
	return e.next != nil && !e.repeats && n.loss(e) <= t.opts.Margin
}

// cycles returns the positions with White to move, each with the number of the cycles that it
// is on when White plays book moves and its opponent any: positions that can be reached from
// each other have the same one. These are the strongly connected components, by Tarjan's
// algorithm.
func (t *tree) cycles() map[*node]int {
	components, order, low := map[*node]int{}, map[*node]int{}, map[*node]int{}
	var stack []*node
	var visit func(n *node)
	visit = func(n *node) {
		order[n], low[n] = len(order)+1, len(order)+1
		stack = append(stack, n)
		for i := range n.edges {
			e := &n.edges[i]
			if !t.playsOn(n, e) {
				continue
			}
			for _, w := range t.afterReplies(e.next) {
				if order[w] == 0 {
					visit(w)
				}
				if low[w] > 0 { // on the stack
					low[n] = min(low[n], low[w])
				}
			}
		}
		if low[n] != order[n] {
			return
		}
		for last := stack[len(stack)-1]; ; last = stack[len(stack)-1] {
			stack = stack[:len(stack)-1]
			components[last], low[last] = order[n], 0
			if last == n {
				return
			}
		}
	}
	for _, nodes := range t.scored {
		for _, n := range nodes {
			if n.position.Turn() == rules.White && order[n] == 0 {
				visit(n)
			}
		}
	}
	return components
}
