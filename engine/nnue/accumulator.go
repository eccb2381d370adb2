package nnue

import "github.com/zhbot/zhbot/rules"

// Evaluator evaluates the positions along a line of search. It keeps the
// first layer of every ply, and computes it only when a score is asked for.
// It belongs to one search thread.
type Evaluator struct {
	net   *Network
	plies []ply
	top   int
}

// ply is the first layer after one move.
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

// Reset begins a line at a position.
func (e *Evaluator) Reset(p *rules.Position) {
	e.top = 0
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

// Push follows a legal move, played in position p.
func (e *Evaluator) Push(p *rules.Position, m rules.Move) {
	e.top++
	next := &e.plies[e.top]
	next.current = false
	next.change.of(p, m)
}

// PushNull follows a pass.
func (e *Evaluator) PushNull() {
	e.top++
	next := &e.plies[e.top]
	next.current = false
	next.change.adds, next.change.subs = 0, 0
}

// Pop takes back the last move.
func (e *Evaluator) Pop() { e.top-- }

// Evaluate returns the score in centipawns for the side to move of p, the
// position at the end of the line.
func (e *Evaluator) Evaluate(p *rules.Position) int {
	last := e.top
	for !e.plies[last].current {
		last--
	}
	for ; last < e.top; last++ {
		e.update(last + 1)
	}
	half := &e.plies[e.top].half
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
