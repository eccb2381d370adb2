package nnue

const (
	// QuantB is 1.0 in units of the second layer of [SCReLU].
	QuantB = 64
	// OutputLimit is the maximum weight of that layer, in its unit.
	OutputLimit = 127.0 / QuantB
)

// screluHead is the output layer of the SCReLU architecture.
type screluHead Weights

func (w *screluHead) output(own, other []int16, bucket int, _ *scratch) int {
	output := w.Output[bucket*2*w.Width:][:2*w.Width]
	sum := dot(own, output[:w.Width]) + dot(other, output[w.Width:])
	return int((sum/QuantA + int64(w.OutputBias[bucket])) * scale / (QuantA * QuantB))
}
