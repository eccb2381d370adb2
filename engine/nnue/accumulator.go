package nnue

import "github.com/zhbot/zhbot/rules"

// Evaluator evaluates the positions along a line of search, which it knows by
// their ply. It keeps the first layer of every ply and updates it by what each
// move changes. It belongs to one search thread.
type Evaluator struct {
	net   *Network
	plies []ply
}

// ply is the first layer of one position of the line.
type ply struct {
	half    [2][]int16 // as White and as Black sees it
	halves  []int16    // both
	change  change     // from the ply before
	current bool       // half is computed
}

// NewEvaluator returns an evaluator for lines of at most so many moves.
func NewEvaluator(n *Network, depth int) *Evaluator {
	e := &Evaluator{net: n, plies: make([]ply, depth+1)}
	all := make([]int16, 2*n.width*len(e.plies))
	for i := range e.plies {
		p := &e.plies[i]
		p.halves, all = all[:2*n.width:2*n.width], all[2*n.width:]
		p.half = [2][]int16{p.halves[:n.width:n.width], p.halves[n.width:]}
	}
	return e
}

// Reset begins a line: position p is ply 0.
func (e *Evaluator) Reset(p *rules.Position) {
	var buffer [MaxActive]uint16
	features := AppendFeatures(buffer[:0], p)
	root := &e.plies[0]
	accumulate(root.half[rules.White], e.net.inputBias, e.net.inputWeights, features, nil)
	for i, f := range features {
		features[i] = flipped[f]
	}
	accumulate(root.half[rules.Black], e.net.inputBias, e.net.inputWeights, features, nil)
	root.current = true
}

// Play says that a legal move is played in position p at a ply. What was known
// of later plies is forgotten. The next ply follows at once if this one is
// computed, since its score is nearly always asked for and the search meanwhile
// waits for its table; else when its score is asked for.
func (e *Evaluator) Play(ply int, p *rules.Position, m rules.Move) {
	next := &e.plies[ply+1]
	next.current = false
	next.change.of(p, m)
	if e.plies[ply].current {
		e.update(ply + 1)
	}
}

// PlayNull says that the side to move passes at a ply.
func (e *Evaluator) PlayNull(ply int) {
	next := &e.plies[ply+1]
	next.current = false
	next.change.adds, next.change.subs = 0, 0
}

// Evaluate returns the score in centipawns for the side to move of p, the
// position at a ply.
func (e *Evaluator) Evaluate(ply int, p *rules.Position) int {
	last := ply
	for !e.plies[last].current {
		last--
	}
	for ; last < ply; last++ {
		e.update(last + 1)
	}
	half := &e.plies[ply].half
	us := p.Turn()
	return e.net.output(half[us&1], half[us&1^1], Bucket(p, e.net.buckets))
}

// update computes a ply from the one before.
func (e *Evaluator) update(i int) {
	before, next := &e.plies[i-1], &e.plies[i]
	c := &next.change
	rows := [2]perspective{rules.White: c.rows}
	for i := range c.adds {
		rows[rules.Black][i] = flipped[c.rows[i]]
	}
	for i := 4; i < 4+c.subs; i++ {
		rows[rules.Black][i] = flipped[c.rows[i]]
	}
	update(next.halves, before.halves, e.net.inputWeights, &rows, c.adds, c.subs)
	next.current = true
}
