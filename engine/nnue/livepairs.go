package nnue

// LivePairs returns how many pairs of the first layer can be other than zero: the factors of the
// others are too small for that in any position.
func (w *Weights) LivePairs() (live int) {
	bounds, half := w.firstLayerBounds(), w.Width/2
	for pair := range half {
		a, b := min(max(bounds[pair], 0), QuantA), min(max(bounds[half+pair], 0), QuantA)
		if (a*b+256)>>9 > 0 {
			live++
		}
	}
	return live
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
