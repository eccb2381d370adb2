package nnue

import (
	"fmt"
	"math"
)

// Weights are the parameters of a network, in the units of its file.
type Weights struct {
	Width     int     // neurons of one perspective
	Buckets   int     // layer stacks
	Input     []int8  // Inputs rows of Width, in units of 1/QuantA
	InputBias []int16 // Width, in the same units
	Stacks    StackWeights
	Summary   string
}

// denseSize returns the number of weights of the dense layer of a stack.
func denseSize(width int) int { return (width + AttackInputs) * DenseNeurons }

// makeWeights returns weights of zero.
func makeWeights(width, buckets int) Weights {
	return Weights{
		Width: width, Buckets: buckets, Input: make([]int8, Inputs*width), InputBias: make([]int16, width),
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
	weights any     // a slice
	limit   float64 // maximum absolute value, which excludes overflow
}

// parts returns the parts in the order of the file.
func (w *Weights) parts() []weightsPart {
	const floatLimit = 1000
	s := &w.Stacks
	return []weightsPart{
		{w.Input, math.MaxInt8 + 1}, {w.InputBias, WeightLimit * QuantA},
		{s.Dense, math.MaxInt8 + 1}, {s.DenseScale, floatLimit}, {s.DenseBias, floatLimit},
		{s.Hidden, HiddenLimit}, {s.HiddenBias, floatLimit}, {s.Output, floatLimit}, {s.OutputBias, floatLimit},
	}
}

// checkRange returns an error if a weight is beyond the limit or not a number.
func (p weightsPart) checkRange() error {
	inRange := true
	switch weights := p.weights.(type) {
	case []int16:
		inRange = within(weights, p.limit)
	case []float32:
		inRange = within(weights, p.limit)
	}
	if !inRange {
		return fmt.Errorf("%w: a weight is beyond ±%v", ErrBadNetwork, p.limit)
	}
	return nil
}

func within[T int16 | float32](weights []T, limit float64) bool {
	for _, w := range weights {
		if !(float64(w) <= limit && float64(w) >= -limit) {
			return false
		}
	}
	return true
}
