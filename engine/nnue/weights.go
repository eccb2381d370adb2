package nnue

import (
	"fmt"
	"iter"
	"math"
)

// Weights are the parameters of a network, in the units of its file.
type Weights struct {
	Width     int     // neurons of one perspective
	Buckets   int     // layer stacks
	Input     []int16 // Inputs rows of Width, in units of 1/QuantA
	InputBias []int16 // Width
	Stacks    StackWeights
	Summary   string
}

// denseSize returns the number of weights of the dense layer of a stack.
func denseSize(width int) int { return (width + AttackInputs) * DenseNeurons }

// makeWeights returns weights of zero.
func makeWeights(width, buckets int) Weights {
	return Weights{
		Width: width, Buckets: buckets, Input: make([]int16, Inputs*width), InputBias: make([]int16, width),
		Stacks: StackWeights{
			Dense:      make([]int8, buckets*denseSize(width)),
			DenseScale: make([]float32, buckets*DenseNeurons),
			DenseBias:  make([]float32, buckets*DenseNeurons),
			Hidden:     make([]float32, buckets*HiddenInputs*HiddenNeurons),
			HiddenBias: make([]float32, buckets*HiddenNeurons),
			Output:     make([]float32, buckets*HiddenNeurons),
			OutputBias: make([]float32, buckets),
		},
	}
}

// weightsPart is the weights of a layer, or its biases.
type weightsPart struct {
	name    string
	weights any     // a slice
	limit   float64 // maximum absolute value, which excludes overflow
}

// parts returns the parts in the order of the file.
func (w *Weights) parts() []weightsPart {
	const floatLimit = 1000
	s := &w.Stacks
	return []weightsPart{
		{"first layer", w.Input, WeightLimit * QuantA},
		{"first layer's bias", w.InputBias, WeightLimit * QuantA},
		{"dense layer", s.Dense, math.MaxInt8 + 1},
		{"dense layer's scale", s.DenseScale, floatLimit},
		{"dense layer's bias", s.DenseBias, floatLimit},
		{"hidden layer", s.Hidden, HiddenLimit},
		{"hidden layer's bias", s.HiddenBias, floatLimit},
		{"output layer", s.Output, floatLimit},
		{"output layer's bias", s.OutputBias, floatLimit},
	}
}

// values yields the weights.
func (p weightsPart) values() iter.Seq[float64] {
	switch weights := p.weights.(type) {
	case []int8:
		return valuesOf(weights)
	case []int16:
		return valuesOf(weights)
	default:
		return valuesOf(weights.([]float32))
	}
}

func valuesOf[T int8 | int16 | float32](weights []T) iter.Seq[float64] {
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
