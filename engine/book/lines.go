package book

import (
	"slices"

	"github.com/zhbot/zhbot/rules"
)

// Exit returns the moves with which a game reached the first position with a side to move
// for which a book has no move; ok is false if the book has one for each up to [MaxPlies],
// or the game did not begin at the start position.
func Exit(b Book, g *rules.Game, side rules.Color) (line []rules.Move, ok bool) {
	p := *g.Start()
	if start := rules.StartPosition(); p.Key() != start.Key() {
		return nil, false
	}
	moves := g.Moves()
	for ply := range min(len(moves), MaxPlies) {
		if p.Turn() == side && len(b.Moves(&p)) == 0 {
			return slices.Clone(moves[:ply]), true
		}
		p = p.After(moves[ply])
	}
	return nil, false
}

// chooseOnLines returns positions of the lines that are not scored.
func (t *tree) chooseOnLines(count int) (batch []*node) {
	for _, line := range t.opts.Lines {
		if len(batch) == count {
			break
		}
		n := t.follow(line)
		if n.edges == nil && n.chosen != t.round {
			n.chosen = t.round
			batch = append(batch, n)
		}
	}
	return batch
}

// follow returns the first position on a line that is not scored, or else the last one
// that the book of the line's side reaches.
func (t *tree) follow(line []rules.Move) *node {
	side, n := rules.Color(len(line)%2), t.start
	for _, m := range line {
		if n.edges == nil {
			break
		}
		e := t.edge(n, m, side)
		if e == nil || e.next == nil || !t.inBook(n, e, side) {
			break
		}
		n = e.next
	}
	return n
}

// edge returns a move of a line, nil for one of the line's own side that the search did
// not find promising. One of the other side is to be answered from now on.
func (t *tree) edge(n *node, m rules.Move, side rules.Color) *edge {
	var e *edge
	if i := slices.IndexFunc(n.edges, func(e edge) bool { return e.move == m }); i >= 0 {
		e = &n.edges[i]
	}
	if n.position.Turn() == side {
		return e
	}
	if e == nil { // worse than all that are answered, as far as is known
		e = t.addEdge(n, ScoredMove{m, n.value - max(t.opts.Margin, t.opts.Replies) - 1})
	}
	e.answered[side] = true
	return e
}
