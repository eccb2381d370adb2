package nnue

import "github.com/zhbot/zhbot/rules"

// Evaluator evaluates the positions along a line of search, which it knows by
// their ply. It keeps the first layer of every ply, and computes it only when
// a score is asked for. It belongs to one search thread.
type Evaluator struct {
	net   *Network
	plies []ply
}

// ply is the first layer of one position of the line.
type ply struct {
	half    [2][]int16 // as White and as Black sees it
	change  change     // from the ply before
	current bool       // half is computed
}

// NewEvaluator returns an evaluator for lines of at most so many moves.
func NewEvaluator(n *Network, depth int) *Evaluator {
	e := &Evaluator{net: n, plies: make([]ply, depth+1)}
	halves := make([]int16, 2*n.width*len(e.plies))
	for i := range e.plies {
		for c := range e.plies[i].half {
			e.plies[i].half[c], halves = halves[:n.width:n.width], halves[n.width:]
		}
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
// of later plies is forgotten.
func (e *Evaluator) Play(ply int, p *rules.Position, m rules.Move) {
	next := &e.plies[ply+1]
	next.current = false
	next.change.of(p, m)
}

// Pass says that the side to move passes at a ply.
func (e *Evaluator) Pass(ply int) {
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
	adds, subs := c.rows[:c.adds], c.rows[4:4+c.subs]
	accumulate(next.half[rules.White], before.half[rules.White], e.net.inputWeights, adds, subs)
	var seen [8]uint16
	for i, f := range c.rows {
		seen[i] = flipped[f]
	}
	accumulate(next.half[rules.Black], before.half[rules.Black], e.net.inputWeights, seen[:c.adds], seen[4:4+c.subs])
	next.current = true
}
