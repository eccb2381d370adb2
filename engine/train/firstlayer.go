package train

import "github.com/zhbot/zhbot/engine/nnue"

// The first layer of training. Its weights are rounded to the units of the network before
// every step, so that the network is trained as it will be used, and sums of them are
// exact in int16; the gradient applies to the weights before rounding. It has nearly all
// the weights but only 34 of its 6,332 inputs are active, so both directions are sums over
// rows: forward those of the features that are active in a perspective, backward those of
// the perspectives in which a feature is active.

// padding between rows spreads them over the cache, whose sets repeat at powers of 2.
const padding16, padding32 = 32, 16

// quantized is the first layer in units of the network.
type quantized struct {
	weights []int16 // rows are width + padding16 apart
	bias    []int16
	stride  int
}

func newQuantized(width int) *quantized {
	stride := width + padding16
	return &quantized{make([]int16, nnue.Inputs*stride), make([]int16, width), stride}
}

// setWeights rounds the rows of some features.
func (q *quantized) setWeights(p *parameters, from, to int) {
	sum := make([]float32, p.width)
	for f := from; f < to; f++ {
		quantize(q.weights[f*q.stride:][:p.width], p.row(f, sum))
	}
}

// firstLayer is the first layer of a chunk and the derivatives with respect to it.
type firstLayer struct {
	width, stride16, stride32 int

	acc   []int16 // by row of the chunk
	delta []float32
}

func newFirstLayer(width int) *firstLayer {
	l := &firstLayer{width: width, stride16: width + padding16, stride32: width + padding32}
	l.acc = make([]int16, 2*chunkSize*l.stride16)
	l.delta = make([]float32, 2*chunkSize*l.stride32)
	return l
}

func (l *firstLayer) accOf(row int) []int16     { return l.acc[row*l.stride16:][:l.width] }
func (l *firstLayer) deltaOf(row int) []float32 { return l.delta[row*l.stride32:][:l.width] }

// forward computes the first layer for the features of each row of a chunk.
func (l *firstLayer) forward(q *quantized, features *sparse) {
	sumRows16(l.acc, l.stride16, q.weights, q.stride, features, q.bias)
}

// backward adds the derivatives to the gradient, given the rows in which each feature, and
// the bias, is active. The bias follows the weights in the vector.
func (l *firstLayer) backward(gradient *parameters, rows *sparse) {
	sumRows32(gradient.all, l.width, l.delta, l.stride32, rows, l.width)
}
