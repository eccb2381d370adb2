package book

import (
	"math"
	"slices"

	"github.com/zhbot/zhbot/rules"
)

// tree is a book being built: positions, connected by the moves that were scored.
type tree struct {
	opts   BuildOptions
	start  *node
	nodes  map[uint64]*node
	scored [][]*node // by ply
	round  int       // of choices
}

// node is a position.
type node struct {
	position rules.Position
	ply      int
	edges    []edge  // nil until scored
	parents  []*node // with a move to it, until it is scored
	value    int     // score of the best move, backed up
	visited  [2]int  // by colour: the round in which it was visited for this side's book
	chosen   int     // the round in which it was chosen to be scored
}

// edge is a move of a scored position.
type edge struct {
	move     rules.Move
	backedUp int   // score of the best continuation, as far as there is one
	next     *node // nil if the game is over after the move
	followed bool  // next is scored and has moves; kept here since backUp reads it for every edge
}

// newTree returns a tree of the start position.
func newTree(o BuildOptions) *tree {
	start := rules.StartPosition()
	root := &node{position: start}
	return &tree{opts: o, start: root, nodes: map[uint64]*node{start.Key(): root}}
}

// add adds the scores of a position.
func (t *tree) add(n *node, moves []ScoredMove) {
	n.edges = make([]edge, 0, len(moves))
	for _, m := range moves {
		e := edge{move: m.Move, backedUp: m.Score}
		if p := n.position.After(m.Move); p.HasLegalMove() {
			next := t.nodes[p.Key()]
			if next == nil {
				next = &node{position: p, ply: n.ply + 1}
				t.nodes[p.Key()] = next
			}
			if next.edges == nil {
				next.ply = min(next.ply, n.ply+1)
				next.parents = append(next.parents, n)
			}
			e.next, e.followed = next, len(next.edges) > 0
		}
		n.edges = append(n.edges, e)
	}
	for _, parent := range n.parents {
		for i := range parent.edges {
			if e := &parent.edges[i]; e.next == n {
				e.followed = len(moves) > 0
			}
		}
	}
	n.parents = nil
	for len(t.scored) <= n.ply {
		t.scored = append(t.scored, nil)
	}
	t.scored[n.ply] = append(t.scored[n.ply], n)
}

// loss returns how much worse than the best a move is.
func (n *node) loss(e *edge) int { return n.value - e.backedUp }

// inBook reports whether a side's book plays a move, or answers it if it is the other
// side's.
func (t *tree) inBook(n *node, e *edge, side rules.Color) bool {
	if n.position.Turn() == side {
		return n.loss(e) <= t.opts.Margin
	}
	return n.loss(e) <= t.opts.Replies
}

// backUp scores each move by the position after it. Moves may lead back to earlier
// positions, and a cycle is a draw: so all values begin at 0 and move away from it, up to
// what one side can force. From the deepest positions up, a few sweeps are enough. A move
// that goes round the cycle first scores as much as one that leaves it at once, so a book may
// have both; [Books.Pick] has none in a repeated position.
func (t *tree) backUp() {
	for _, nodes := range t.scored {
		for _, n := range nodes {
			n.value = 0
		}
	}
	for changed := true; changed; {
		changed = false
		for _, nodes := range slices.Backward(t.scored) {
			for _, n := range nodes {
				before := n.value
				n.backUp()
				changed = changed || n.value != before
			}
		}
	}
}

// backUp scores the moves of a position by the values of those after it.
func (n *node) backUp() {
	n.value = -math.MaxInt16
	for i := range n.edges {
		e := &n.edges[i]
		if e.followed {
			e.backedUp = -e.next.value
		}
		n.value = max(n.value, e.backedUp)
	}
}

// The weight of a move is bestWeight·exp(-loss/weightDecay), with its loss against the best
// move in centipawns.
const (
	bestWeight  = 1000
	weightDecay = 15.0
)

// table returns the book of the scored positions.
func (t *tree) table() (*Table, error) {
	t.backUp()
	var entries []entry
	count := 0
	for _, nodes := range t.scored {
		count += len(nodes)
		for _, n := range nodes {
			for i := range n.edges {
				if e := &n.edges[i]; n.loss(e) <= t.opts.Margin {
					entries = append(entries, entry{
						key: n.position.Key(), move: e.move, score: clampScore(e.backedUp),
						weight: uint16(max(1, bestWeight*math.Exp(-float64(n.loss(e))/weightDecay))),
					})
				}
			}
		}
	}
	note := ""
	if t.opts.Note != nil {
		note = t.opts.Note(count)
	}
	return newTable(note, entries)
}

// clampScore limits a score to the range of an entry.
func clampScore(score int) int16 {
	return int16(min(max(score, -math.MaxInt16), math.MaxInt16))
}
