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
	change       change
	inputs       denseInputs
}

// accumulator is the first layer of one position of the line.
type accumulator struct {
	perspectives [2][]int16 // of White and of Black
	orientations [2]Orientation
	features     featureSet
	computed     bool // the others are those of the position
}

// NewEvaluator returns an evaluator for lines of at most depth moves.
func NewEvaluator(n *Network, depth int) *Evaluator {
	e := &Evaluator{net: n, accumulators: make([]accumulator, depth+1), cache: newRefreshCache(&n.weights)}
	width := n.weights.Width
	all := make([]int16, 2*width*len(e.accumulators))
	for i := range e.accumulators {
		p := &e.accumulators[i].perspectives
		p[0], p[1], all = all[:width:width], all[width:2*width:2*width], all[2*width:]
	}
	return e
}

// Enter invalidates the layer at a ply, whose position has changed. Later plies keep theirs: call
// Enter for each before it is evaluated again.
func (e *Evaluator) Enter(ply int) { e.accumulators[ply].computed = false }

// Evaluate returns the score of p, the position at a ply, in centipawns for the side to
// move. The attacks must be those of p.
func (e *Evaluator) Evaluate(ply int, p *rules.Position, attacks *Attacks) int {
	e.compute(ply, p, attacks)
	half := &e.accumulators[ply].perspectives
	us := p.Turn()
	e.sets.set(p, attacks)
	countSets((*AttackCounts)(e.inputs[e.net.weights.Width:]), &e.sets)
	return e.net.stacks.output(half[us&1], half[us&1^1], BucketOf(p.InHand(), e.net.weights.Buckets), &e.inputs)
}

// compute computes a ply: each perspective from the last computed ply before it, or where its
// orientation has changed since then, from the cache.
func (e *Evaluator) compute(ply int, p *rules.Position, attacks *Attacks) {
	at := &e.accumulators[ply]
	if at.computed {
		return
	}
	at.computed = true
	at.features.set(p, attacks)
	last := ply - 1
	for last >= 0 && !e.accumulators[last].computed {
		last--
	}
	for side := range at.orientations {
		at.orientations[side] = OrientationOf(rules.Color(side), mirrorsKing(p.King(rules.Color(side))))
	}
	if last >= 0 {
		e.change.set(&at.features, &e.accumulators[last].features, &at.orientations)
	}
	for side, dst := range at.perspectives {
		o := at.orientations[side]
		if last >= 0 && e.accumulators[last].orientations[side] == o {
			e.change.apply(dst, e.accumulators[last].perspectives[side], &e.net.weights, side)
			continue
		}
		cached := &e.cache[side][o.flip&1]
		var rows change
		rows.set(&at.features, &cached.features, &at.orientations)
		rows.apply(dst, cached.values, &e.net.weights, side)
		copy(cached.values, dst)
		cached.features = at.features
	}
}
