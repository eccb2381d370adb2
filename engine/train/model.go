package train

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/zhbot/zhbot/engine/nnue"
)

// layout places the parameters of a network in one vector, so that the
// optimiser sees nothing but numbers.
type layout struct {
	width, buckets int
}

func (l layout) inputEnd() int     { return nnue.Inputs * l.width }
func (l layout) inputBiasEnd() int { return l.inputEnd() + l.width }
func (l layout) outputEnd() int    { return l.inputBiasEnd() + l.buckets*2*l.width }
func (l layout) size() int         { return l.outputEnd() + l.buckets }
func (l layout) maxWeight(i int) float32 { // the largest absolute value of parameter i
	switch {
	case i < l.inputBiasEnd():
		return nnue.WeightLimit
	case i < l.outputEnd():
		return nnue.OutputLimit
	}
	return math.MaxFloat32
}

// parameters is a vector of numbers, weights or their derivatives.
type parameters struct {
	layout
	all                               []float32
	input, inputBias, output, outBias []float32 // parts of all
}

func newParameters(l layout, all []float32) parameters {
	return parameters{
		layout:    l,
		all:       all,
		input:     all[:l.inputEnd()],
		inputBias: all[l.inputEnd():l.inputBiasEnd()],
		output:    all[l.inputBiasEnd():l.outputEnd()],
		outBias:   all[l.outputEnd():],
	}
}

// initialize draws the weights so that both layers begin with outputs of about
// unit size for the 34 features that are on in most positions.
func (p parameters) initialize(rng *rand.Rand) {
	fill := func(part []float32, bound float64) {
		for i := range part {
			part[i] = float32((2*rng.Float64() - 1) * bound)
		}
	}
	fill(p.input, 1/math.Sqrt(34))
	fill(p.inputBias, 0.1)
	fill(p.output, 1/math.Sqrt(2*float64(p.width)))
	clear(p.outBias)
}

// quantise rounds the weights to the network's units.
func (p parameters) quantise(summary string) (*nnue.Network, error) {
	w := nnue.Weights{
		Width: p.width, Buckets: p.buckets, Summary: summary,
		Input: round(p.input, nnue.QuantA), InputBias: round(p.inputBias, nnue.QuantA), Output: round(p.output, nnue.QuantB),
	}
	for _, b := range p.outBias {
		w.OutputBias = append(w.OutputBias, int32(math.Round(float64(b)*nnue.QuantA*nnue.QuantB)))
	}
	n, err := nnue.New(w)
	if err != nil {
		return nil, fmt.Errorf("quantise: %w", err)
	}
	return n, nil
}

func round(part []float32, unit float64) []int16 {
	out := make([]int16, len(part))
	for i, v := range part {
		out[i] = int16(math.Round(float64(v) * unit))
	}
	return out
}
