package nnue

import "github.com/zhbot/zhbot/rules"

// Evaluator evaluates the positions along a search line, identified by ply. It keeps the
// first layer of every ply and updates it incrementally. It is not safe for concurrent
// use: each search thread has its own.
type Evaluator struct {
	net          *Network
	accumulators []accumulator
}

// accumulator is the first layer of one position of the line.
type accumulator struct {
	perspectives [2][]int16   // of White and of Black, within all
	all          []int16      // both perspectives
	delta        featureDelta // from the previous ply
	computed     bool         // all is valid
}

// NewEvaluator returns an evaluator for lines of at most depth moves.
func NewEvaluator(n *Network, depth int) *Evaluator {
	e := &Evaluator{net: n, accumulators: make([]accumulator, depth+1)}
	width := n.weights.Width
	all := make([]int16, 2*width*len(e.accumulators))
	for i := range e.accumulators {
		p := &e.accumulators[i]
		p.all, all = all[:2*width:2*width], all[2*width:]
		p.perspectives = [2][]int16{p.all[:width:width], p.all[width:]}
	}
	return e
}

// Reset starts a line with position p at ply 0.
func (e *Evaluator) Reset(p *rules.Position) {
	var buffer [MaxActive]uint16
	features := AppendFeatures(buffer[:0], p)
	root := &e.accumulators[0]
	accumulate(root.perspectives[rules.White], e.net.weights.InputBias, e.net.weights.Input, features, nil)
	for i, f := range features {
		features[i] = flipped[f]
	}
	accumulate(root.perspectives[rules.Black], e.net.weights.InputBias, e.net.weights.Input, features, nil)
	root.computed = true
}

// Play makes a legal move in position p at a ply; later plies become invalid. If this ply
// is computed, the next one is computed at once, since its score is nearly always needed
// and the search meanwhile waits for its table; otherwise when it is evaluated.
func (e *Evaluator) Play(ply int, p *rules.Position, m rules.Move) {
	next := &e.accumulators[ply+1]
	next.computed = false
	next.delta.set(p, m)
	if e.accumulators[ply].computed {
		e.update(ply + 1)
	}
}

// PlayNull makes a null move at a ply; later plies become invalid.
func (e *Evaluator) PlayNull(ply int) {
	next := &e.accumulators[ply+1]
	next.computed = false
	next.delta.added, next.delta.removed = 0, 0
}

// Evaluate returns the score of p, the position at a ply, in centipawns for the side to
// move.
func (e *Evaluator) Evaluate(ply int, p *rules.Position) int {
	last := ply
	for !e.accumulators[last].computed {
		last--
	}
	for ; last < ply; last++ {
		e.update(last + 1)
	}
	half := &e.accumulators[ply].perspectives
	us := p.Turn()
	inHand := p.Pocket(rules.White).Total() + p.Pocket(rules.Black).Total()
	return e.net.output(half[us&1], half[us&1^1], BucketOf(inHand, e.net.weights.Buckets))
}

// update computes a ply from the previous one.
func (e *Evaluator) update(i int) {
	before, next := &e.accumulators[i-1], &e.accumulators[i]
	c := &next.delta
	rows := [2]deltaRows{rules.White: c.rows}
	for i := range c.added {
		rows[rules.Black][i] = flipped[c.rows[i]]
	}
	for i := 4; i < 4+c.removed; i++ {
		rows[rules.Black][i] = flipped[c.rows[i]]
	}
	update(next.all, before.all, e.net.weights.Input, &rows, c.added, c.removed)
	next.computed = true
}
