package nnue

import (
	"fmt"
	"iter"
	"math"
)

// Weights are the parameters of a network, in the units of its file.
type Weights struct {
	Architecture Architecture
	Width        int     // neurons of one perspective
	Buckets      int     // output neurons or layer stacks
	Input        []int16 // Inputs rows of Width, in units of 1/QuantA
	InputBias    []int16 // Width

	// of SCReLU
	Output     []int16 // Buckets rows of 2 Width, in units of 1/QuantB: that of the side to move first
	OutputBias []int32 // Buckets, in units of 1/(QuantA QuantB)

	Stacks StackWeights // of LayerStacks

	Summary string
}

// makeWeights returns weights of zero.
func makeWeights(a Architecture, width, buckets int) Weights {
	w := Weights{
		Architecture: a, Width: width, Buckets: buckets,
		Input: make([]int16, Inputs*width), InputBias: make([]int16, width),
	}
	if a == SCReLU {
		w.Output, w.OutputBias = make([]int16, buckets*2*width), make([]int32, buckets)
		return w
	}
	w.Stacks = StackWeights{
		Dense:      make([]int8, buckets*width*DenseNeurons),
		DenseScale: make([]float32, buckets*DenseNeurons),
		DenseBias:  make([]float32, buckets*DenseNeurons),
		Hidden:     make([]float32, buckets*HiddenInputs*HiddenNeurons),
		HiddenBias: make([]float32, buckets*HiddenNeurons),
		Output:     make([]float32, buckets*HiddenNeurons),
		OutputBias: make([]float32, buckets),
	}
	return w
}

// weightsPart is the weights of a layer, or its biases.
type weightsPart struct {
	name    string
	weights any     // a slice
	limit   float64 // maximum absolute value, which excludes overflow
}

// parts returns the parts that the architecture has, in the order of the file.
func (w *Weights) parts() []weightsPart {
	parts := []weightsPart{
		{"first layer", w.Input, WeightLimit * QuantA},
		{"first layer's bias", w.InputBias, WeightLimit * QuantA},
	}
	if w.Architecture == SCReLU {
		return append(parts,
			weightsPart{"second layer", w.Output, OutputLimit * QuantB},
			weightsPart{"second layer's bias", w.OutputBias, -math.MinInt32})
	}
	const floatLimit = 1000
	s := &w.Stacks
	return append(parts,
		weightsPart{"dense layer", s.Dense, math.MaxInt8 + 1},
		weightsPart{"dense layer's scale", s.DenseScale, floatLimit},
		weightsPart{"dense layer's bias", s.DenseBias, floatLimit},
		weightsPart{"hidden layer", s.Hidden, HiddenLimit},
		weightsPart{"hidden layer's bias", s.HiddenBias, floatLimit},
		weightsPart{"output layer", s.Output, floatLimit},
		weightsPart{"output layer's bias", s.OutputBias, floatLimit})
}

// values yields the weights.
func (p weightsPart) values() iter.Seq[float64] {
	switch weights := p.weights.(type) {
	case []int8:
		return valuesOf(weights)
	case []int16:
		return valuesOf(weights)
	case []int32:
		return valuesOf(weights)
	default:
		return valuesOf(weights.([]float32))
	}
}

func valuesOf[T int8 | int16 | int32 | float32](weights []T) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		for _, w := range weights {
			if !yield(float64(w)) {
				return
			}
		}
	}
}

// checkRange returns an error if a weight is beyond the limit or not a number.
func (p weightsPart) checkRange() error {
	limit, i := p.limit, 0
	for w := range p.values() {
		if !(w <= limit && w >= -limit) {
			return fmt.Errorf("%w: weight %d of the %s is %v, beyond ±%v", ErrBadNetwork, i, p.name, w, limit)
		}
		i++
	}
	return nil
}
