package train

import "github.com/zhbot/zhbot/engine/nnue"

// stackHead is what a network has after the first layer, with memory for one position.
type stackHead struct {
	weights  *model
	gradient *parameters

	// the last position
	bucket        int
	acc           [2][]int16
	counts        *[nnue.AttackInputs]float32
	products      []float32
	deltaProducts []float32
	dense         [nnue.DenseNeurons]float32
	inputs        [nnue.HiddenInputs]float32
	hidden        [nnue.HiddenNeurons]float32
}

func newStackHead(weights *model, gradient *parameters) *stackHead {
	return &stackHead{
		weights: weights, gradient: gradient,
		products: make([]float32, weights.width), deltaProducts: make([]float32, weights.width),
	}
}

// of returns the part of a layer that belongs to the stack of the last position.
func (h *stackHead) of(layer []float32) []float32 { return ofStack(layer, h.bucket, h.weights.buckets) }

func (h *stackHead) forward(own, other []int16, counts *[nnue.AttackInputs]float32, bucket int) float32 {
	w, half := h.weights, h.weights.width/2
	h.bucket, h.acc, h.counts = bucket, [2][]int16{own, other}, counts
	multiplyPairs(h.products[:half], own)
	multiplyPairs(h.products[half:], other)

	copy(h.dense[:], h.of(w.denseBias))
	addLayer(h.dense[:], h.products, h.of(w.dense))
	addLayer(h.dense[:], counts[:], h.of(w.denseAttacks))
	for i, x := range h.dense {
		h.inputs[i], h.inputs[nnue.DenseNeurons+i] = min(x*x, 1), clip(x)
	}
	copy(h.hidden[:], h.of(w.hiddenBias))
	addLayer(h.hidden[:], h.inputs[:], h.of(w.hidden))
	out := w.outBias[bucket]
	for i, weight := range h.of(w.output) {
		x := clip(h.hidden[i])
		out += x * x * weight
	}
	return out
}

func (h *stackHead) backward(slope float32, ownDelta, otherDelta []float32) {
	w, g, half := h.weights, h.gradient, h.weights.width/2
	g.outBias[h.bucket] += slope
	var deltaHidden [nnue.HiddenNeurons]float32
	output, outputGradient, biasGradient := h.of(w.output), h.of(g.output), h.of(g.hiddenBias)
	for i, x := range h.hidden {
		if x <= 0 {
			continue
		}
		c := min(x, 1)
		outputGradient[i] += slope * c * c
		if x < 1 {
			deltaHidden[i] = 2 * slope * c * output[i]
			biasGradient[i] += deltaHidden[i]
		}
	}
	var deltaInputs [nnue.HiddenInputs]float32
	layerGradient(h.of(g.hidden), deltaInputs[:], h.of(w.hidden), h.inputs[:], deltaHidden[:])

	var deltaDense [nnue.DenseNeurons]float32
	biasGradient = h.of(g.denseBias)
	for i, x := range h.dense {
		if x > -1 && x < 1 {
			deltaDense[i] = 2 * x * deltaInputs[i]
		}
		if x > 0 && x < 1 {
			deltaDense[i] += deltaInputs[nnue.DenseNeurons+i]
		}
		biasGradient[i] += deltaDense[i]
	}
	var unused [nnue.AttackInputs]float32
	layerGradient(h.of(g.ownAttacks), unused[:], h.of(w.denseAttacks), h.counts[:], deltaDense[:])
	layerGradient(h.of(g.own), h.deltaProducts, h.of(w.dense), h.products, deltaDense[:])
	pairGradient(ownDelta, h.acc[0], h.deltaProducts[:half])
	pairGradient(otherDelta, h.acc[1], h.deltaProducts[half:])
}

// finish sets the gradient of the weights that all stacks share to the sum of those of the
// stacks' own.
func (h *stackHead) finish() {
	g := h.gradient
	for _, layer := range [...]struct{ common, own []float32 }{{g.common, g.own}, {g.commonAttacks, g.ownAttacks}} {
		for i, x := range layer.own {
			layer.common[i%len(layer.common)] += x
		}
	}
}

func clip(x float32) float32 { return min(max(x, 0), 1) }
