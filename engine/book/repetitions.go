package book

import (
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"

	"github.com/zhbot/zhbot/rules"
)

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
// each other have the same one. These are the strongly connected components.
func (t *tree) cycles() map[*node]int {
	moves := simple.NewDirectedGraph()
	for _, nodes := range t.scored {
		for _, n := range nodes {
			for i := range n.edges {
				if e := &n.edges[i]; n.position.Turn() == rules.White && t.playsOn(n, e) {
					for _, w := range t.afterReplies(e.next) {
						moves.SetEdge(simple.Edge{F: n, T: w})
					}
				}
			}
		}
	}
	components := map[*node]int{}
	for i, nodes := range topo.TarjanSCC(moves) {
		for _, n := range nodes {
			components[n.(*node)] = i + 1
		}
	}
	return components
}

// ID implements graph.Node of gonum.
func (n *node) ID() int64 { return int64(n.position.Key()) }
