package book

import (
	"math"

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
	edges    []edge // nil until scored
	value    int    // score of the best move, backed up
	visited  [2]int // by colour: the round in which it was visited for this side's book
	chosen   int    // the round in which it was chosen to be scored
}

// edge is a move of a scored position.
type edge struct {
	move     rules.Move
	score    int     // by the search of this position
	backedUp int     // that of the best continuation, as far as there is one
	key      uint64  // of the position after the move
	over     bool    // the game is over after the move
	answered [2]bool // by colour: a line wants it answered in this side's book, however bad it is
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
		n.addEdge(m)
	}
	for len(t.scored) <= n.ply {
		t.scored = append(t.scored, nil)
	}
	t.scored[n.ply] = append(t.scored[n.ply], n)
}

// addEdge adds a move to a scored position.
func (n *node) addEdge(m ScoredMove) *edge {
	p := n.position.After(m.Move)
	n.edges = append(n.edges, edge{move: m.Move, score: m.Score, backedUp: m.Score, key: p.Key(), over: !p.HasLegalMove()})
	return &n.edges[len(n.edges)-1]
}

// after returns the position after a move, which it adds if necessary.
func (t *tree) after(n *node, e *edge) *node {
	next := t.nodes[e.key]
	if next == nil {
		next = &node{position: n.position.After(e.move), ply: n.ply + 1}
		t.nodes[e.key] = next
	}
	if next.edges == nil {
		next.ply = min(next.ply, n.ply+1)
	}
	return next
}

// loss returns how much worse than the best a move is.
func (n *node) loss(e *edge) int { return n.value - e.backedUp }

// inBook reports whether a side's book plays a move, or answers it if it is the other
// side's.
func (t *tree) inBook(n *node, e *edge, side rules.Color) bool {
	if n.position.Turn() == side {
		return n.loss(e) <= t.opts.Margin
	}
	return n.loss(e) <= t.opts.Replies || e.answered[side]
}

// backUp scores each move by the position after it, from the deepest positions up.
func (t *tree) backUp() {
	for ply := len(t.scored) - 1; ply >= 0; ply-- {
		for _, n := range t.scored[ply] {
			n.value = -math.MaxInt16
			for i := range n.edges {
				e := &n.edges[i]
				if next := t.nodes[e.key]; next != nil && next.ply > n.ply && len(next.edges) > 0 {
					e.backedUp = -next.value
				}
				n.value = max(n.value, e.backedUp)
			}
		}
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
