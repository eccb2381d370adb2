package nnue

import "slices"

// LivePairs returns how many pairs of the first layer can be other than zero.
func (w *Weights) LivePairs() int {
	live, _ := w.pairs()
	return len(live)
}

// pairs divides the pairs of the first layer into those that can be other than zero and
// those whose factors are too small for that in any position.
func (w *Weights) pairs() (live, dead []int) {
	bounds, half := w.firstLayerBounds(), w.Width/2
	for pair := range half {
		a, b := min(max(bounds[pair], 0), QuantA), min(max(bounds[half+pair], 0), QuantA)
		if (a*b+256)>>9 > 0 {
			live = append(live, pair)
		} else {
			dead = append(dead, pair)
		}
	}
	return live, dead
}

// firstLayerBounds returns what no neuron of a perspective exceeds: its bias and all its
// positive weights.
func (w *Weights) firstLayerBounds() []int {
	bounds := make([]int, w.Width)
	for i, bias := range w.InputBias {
		bounds[i] = int(bias)
	}
	for i, weight := range w.Input {
		bounds[i%w.Width] += max(int(weight), 0)
	}
	return bounds
}

// Pruned returns the weights without the pairs that are always zero, so that the network
// computes the same in less time. Some remain where the width would not be a multiple of
// [WidthStep].
func (w *Weights) Pruned() Weights {
	kept := w.keptPairs()
	half := len(kept)
	p := makeWeights(2*half, w.Buckets)
	p.Summary, p.Stacks = w.Summary, w.Stacks
	p.Stacks.Dense = make([]int8, w.Buckets*denseSize(p.Width))
	for bucket := range w.Buckets { // the attack counts' weights
		copy(p.denseOf(bucket)[p.Width*DenseNeurons:], w.denseOf(bucket)[w.Width*DenseNeurons:])
	}
	for i, pair := range kept {
		for side, from := range []int{pair, w.Width/2 + pair} { // the factors; or both perspectives' inputs
			to := side*half + i
			p.InputBias[to] = w.InputBias[from]
			for row := range Inputs {
				p.Input[row*p.Width+to] = w.Input[row*w.Width+from]
			}
			for bucket := range w.Buckets {
				copy(p.denseOf(bucket)[to*DenseNeurons:][:DenseNeurons], w.denseOf(bucket)[from*DenseNeurons:])
			}
		}
	}
	return p
}

// keptPairs returns the live pairs, and as many others as a valid width needs.
func (w *Weights) keptPairs() []int {
	const step = WidthStep / 2
	live, dead := w.pairs()
	size := max((len(live)+step-1)/step*step, step)
	kept := append(live, dead[:size-len(live)]...)
	slices.Sort(kept)
	return kept
}
