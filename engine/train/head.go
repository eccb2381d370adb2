package train

import (
	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/engine/train/kernel"
)

// head is what a network has after the first layer, with memory for one position.
type head interface {
	// forward returns the output for the first layer of a position, the perspective of the
	// side to move first.
	forward(own, other []int16, bucket int) float32
	// backward propagates the derivative with respect to the output of the last position:
	// it adds to the gradient and sets the derivatives with respect to the first layer.
	backward(slope float32, ownDelta, otherDelta []float32)
	// finish completes the gradient after the last position of a batch.
	finish()
}

func newHead(weights *model, gradient *parameters) head {
	if weights.architecture == nnue.SCReLU {
		h := &screluHead{weights: weights, gradient: gradient}
		for i := range h.values {
			h.values[i] = make([]float32, weights.width)
		}
		return h
	}
	return newStackHead(weights, gradient)
}

// model is the weights of a network with what is derived from them before each step.
type model struct {
	*parameters
	first *quantized
	dense []float32 // of LayerStacks: common plus own, by bucket
}

func newModel(p *parameters) *model {
	return &model{parameters: p, first: newQuantized(p.width), dense: make([]float32, len(p.own))}
}

// prepare derives a share of what is derived from the weights.
func (m *model) prepare(share, shares int) {
	m.first.setWeights(m.parameters, nnue.Inputs*share/shares, nnue.Inputs*(share+1)/shares)
	if share == 0 {
		kernel.Quantize(m.first.bias, m.inputBias)
	}
	for i := len(m.common) * share / shares; i < len(m.common)*(share+1)/shares; i++ {
		for j := i; j < len(m.own); j += len(m.common) {
			m.dense[j] = m.common[i] + m.own[j]
		}
	}
}

// screluHead is the output layer of nnue.SCReLU.
type screluHead struct {
	weights  *model
	gradient *parameters

	bucket int
	values [2][]float32 // of the first layer
}

func (h *screluHead) forward(own, other []int16, bucket int) float32 {
	h.bucket = bucket
	width, output := h.weights.width, ofStack(h.weights.output, bucket, h.weights.buckets)
	kernel.Dequantize(h.values[0], own)
	kernel.Dequantize(h.values[1], other)
	return kernel.SCReLU(h.values[0], output[:width]) + kernel.SCReLU(h.values[1], output[width:]) + h.weights.outBias[bucket]
}

func (h *screluHead) backward(slope float32, ownDelta, otherDelta []float32) {
	width, buckets := h.weights.width, h.weights.buckets
	output, gradient := ofStack(h.weights.output, h.bucket, buckets), ofStack(h.gradient.output, h.bucket, buckets)
	h.gradient.outBias[h.bucket] += slope
	kernel.SCReLUGradient(h.values[0], output[:width], slope, gradient[:width], ownDelta)
	kernel.SCReLUGradient(h.values[1], output[width:], slope, gradient[width:], otherDelta)
}

func (h *screluHead) finish() {}
