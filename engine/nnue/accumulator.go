package nnue

import "github.com/zhbot/zhbot/rules"

// Evaluator evaluates the positions along a search line, identified by ply. It keeps the
// first layer of every ply and updates it incrementally. It is not safe for concurrent
// use: each search thread has its own.
type Evaluator struct {
	net          *Network
	accumulators []accumulator
	cache        refreshCache
	sets         attackSets
	inputs       denseInputs
}

// accumulator is the first layer of one position of the line.
type accumulator struct {
	perspectives [2][]int16   // of White and of Black, within all
	all          []int16      // both perspectives
	mirrored     [2]bool      // by perspective
	delta        featureDelta // from the previous ply
	computed     bool         // all is valid
}

// NewEvaluator returns an evaluator for lines of at most depth moves.
func NewEvaluator(n *Network, depth int) *Evaluator {
	e := &Evaluator{net: n, accumulators: make([]accumulator, depth+1), cache: newRefreshCache(&n.weights)}
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
	var features featureSet
	features.set(p)
	for c := rules.White; c <= rules.Black; c++ {
		e.refresh(0, c, mirrorsKing(p.King(c)), &features)
	}
	e.accumulators[0].computed = true
}

// Play makes a legal move in position p at a ply; later plies become invalid. If this ply
// is computed, the next one is computed at once, since its score is nearly always needed
// and the search would otherwise only wait for its table; if not, it is computed when it
// is evaluated.
func (e *Evaluator) Play(ply int, p *rules.Position, m rules.Move) {
	now, next := &e.accumulators[ply], &e.accumulators[ply+1]
	next.computed = false
	next.delta.set(p, m)
	next.mirrored = now.mirrored
	if crossesCenter(p, m) {
		e.playCrossing(ply, p)
		return
	}
	if now.computed {
		e.update(ply + 1)
	}
}

// playCrossing computes the ply after a king's move that changes the orientation of its
// perspective. The other perspective is updated.
func (e *Evaluator) playCrossing(ply int, p *rules.Position) {
	e.compute(ply + 1) // also the one to refresh
	us := p.Turn()
	var features featureSet
	features.set(p)
	features.play(&e.accumulators[ply+1].delta)
	e.refresh(ply+1, us, !mirrorsKing(p.King(us)), &features)
}

// refresh computes a perspective at a ply from all features of the position.
func (e *Evaluator) refresh(ply int, perspective rules.Color, mirrored bool, features *featureSet) {
	at := &e.accumulators[ply]
	at.mirrored[perspective] = mirrored
	e.cache.refresh(at.perspectives[perspective], &e.net.weights, features, perspective, mirrored)
}

// PlayNull makes a null move at a ply; later plies become invalid.
func (e *Evaluator) PlayNull(ply int) {
	next := &e.accumulators[ply+1]
	next.computed = false
	next.delta.added, next.delta.removed = 0, 0
	next.mirrored = e.accumulators[ply].mirrored
}

// Evaluate returns the score of p, the position at a ply, in centipawns for the side to
// move. The attacks must be those of p.
func (e *Evaluator) Evaluate(ply int, p *rules.Position, attacks *Attacks) int {
	e.compute(ply)
	half := &e.accumulators[ply].perspectives
	us := p.Turn()
	e.sets.set(p, attacks)
	countSets((*AttackCounts)(e.inputs[e.net.weights.Width:]), &e.sets)
	inHand := p.Pocket(rules.White).Total() + p.Pocket(rules.Black).Total()
	return e.net.stacks.output(half[us&1], half[us&1^1], BucketOf(inHand, e.net.weights.Buckets), &e.inputs)
}

// compute computes a ply, and those before it where necessary.
func (e *Evaluator) compute(ply int) {
	last := ply
	for !e.accumulators[last].computed {
		last--
	}
	for ; last < ply; last++ {
		e.update(last + 1)
	}
}

// update computes a ply from the previous one, whose perspectives have the same
// orientation.
func (e *Evaluator) update(i int) {
	before, next := &e.accumulators[i-1], &e.accumulators[i]
	update(next.all, before.all, e.net.weights.Input, &next.delta,
		Orientation(rules.White, next.mirrored[rules.White]), Orientation(rules.Black, next.mirrored[rules.Black]))
	next.computed = true
}
