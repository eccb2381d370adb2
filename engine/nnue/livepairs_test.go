package nnue

import "testing"

// The embedded network carries no pair that is zero in every position: one of whose factors, of
// its bias and all positive weights, the product rounds to 0.
func TestEmbedded_IsAlive(t *testing.T) {
	w := Default().Weights()
	most, half := make([]int, w.Width), w.Width/2
	for i, bias := range w.InputBias {
		most[i] = int(bias)
	}
	for i, weight := range w.Input {
		most[i%w.Width] += max(int(weight), 0)
	}
	for pair := range half {
		if a, b := min(most[pair], QuantA), min(most[half+pair], QuantA); min(a, b) <= 0 || (a*b+256)>>9 == 0 {
			t.Errorf("pair %d is dead", pair)
		}
	}
}
