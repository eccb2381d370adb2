package nnue

import "math"

// The layers of a stack.
const (
	DenseNeurons  = 16
	HiddenInputs  = 2 * DenseNeurons // the neurons squared and clipped, then only clipped
	HiddenNeurons = 32

	// ProductUnit is the value of a unit of the products that the dense layer reads: a
	// product of two values of 1.0 in units of 1/QuantA, in 1/512.
	ProductUnit = 512.0 / (QuantA * QuantA)
)

// StackWeights are the layers after the first, each of all stacks.
//
// The dense layer has int8 weights. Each of its neurons has its own unit, so that the
// largest weight can be ±127; DenseScale is the value of 1 in the sum of its products.
type StackWeights struct {
	Dense      []int8    // by stack, input, neuron
	DenseScale []float32 // by stack, neuron
	DenseBias  []float32 // by stack, neuron
	Hidden     []float32 // by stack, input, neuron
	HiddenBias []float32 // by stack, hidden neuron
	Output     []float32 // by stack, hidden neuron
	OutputBias []float32 // by stack
}

// stackHead is the layers after the first, as the kernels read them.
type stackHead struct {
	width int
	dense []int8 // of all stacks: by stack, 4 inputs, neuron, input
	tails []tail
}

// The hidden layer is computed in int16; its sums fit int32.
const (
	// HiddenLimit is the maximum weight of the hidden layer.
	HiddenLimit = 32767.0 / hiddenWeightUnits

	hiddenInputUnits  = 1 << 11 // of an input of 1
	hiddenWeightUnits = 1 << 10 // of a weight of 1
	hiddenUnit        = 1.0 / (hiddenInputUnits * hiddenWeightUnits)
)

// tail is the part of a stack after the sums of the dense layer. The assembly knows its
// layout.
type tail struct {
	denseScale [DenseNeurons]float32
	denseBias  [DenseNeurons]float32
	hidden     [HiddenInputs / 2][HiddenNeurons][2]int16 // by pair of inputs, neuron, input
	hiddenBias [HiddenNeurons]float32
	output     [HiddenNeurons]float32
	outputBias float32
	_          [15]float32 // so that each starts at a cache line
}

func newStackHead(w *Weights) *stackHead {
	s := &w.Stacks
	h := &stackHead{w.Width, make([]int8, len(s.Dense)), make([]tail, w.Buckets)}
	for i, weight := range s.Dense {
		input, neuron := i/DenseNeurons, i%DenseNeurons
		h.dense[input/4*4*DenseNeurons+4*neuron+input%4] = weight
	}
	for i := range h.tails {
		t := &h.tails[i]
		copy(t.denseScale[:], s.DenseScale[i*DenseNeurons:])
		copy(t.denseBias[:], s.DenseBias[i*DenseNeurons:])
		for j, weight := range s.Hidden[i*HiddenInputs*HiddenNeurons:][:HiddenInputs*HiddenNeurons] {
			input, neuron := j/HiddenNeurons, j%HiddenNeurons
			t.hidden[input/2][neuron][input%2] = int16(math.RoundToEven(float64(weight) * hiddenWeightUnits))
		}
		copyNormal(t.hiddenBias[:], s.HiddenBias[i*HiddenNeurons:])
		copyNormal(t.output[:], s.Output[i*HiddenNeurons:])
		t.outputBias = s.OutputBias[i]
	}
	return h
}

// copyNormal copies weights, the tiniest as zero: weight decay leaves them to neurons that
// learn nothing, and their products would be subnormal, which is slow on many processors.
func copyNormal(dst, src []float32) {
	const tiniest = 1e-9
	for i := range dst {
		dst[i] = src[i]
		if src[i] < tiniest && src[i] > -tiniest {
			dst[i] = 0
		}
	}
}

// output multiplies the first layer in pairs and runs the stack of the bucket.
func (h *stackHead) output(own, other []int16, bucket int, inputs *denseInputs) int {
	size := denseSize(h.width)
	return int(runStack(own, other, h.dense[bucket*size:][:size], &h.tails[bucket], inputs) * Scale)
}
