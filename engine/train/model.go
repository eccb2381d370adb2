package train

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/zhbot/zhbot/engine/nnue"
)

// layout is the position of a network's parameters in one vector, on which the optimiser
// works.
type layout struct {
	width, buckets int
}

func (l layout) inputEnd() int     { return nnue.Inputs * l.width }
func (l layout) inputBiasEnd() int { return l.inputEnd() + l.width }
func (l layout) outputEnd() int    { return l.inputBiasEnd() + l.buckets*2*l.width }
func (l layout) size() int         { return l.outputEnd() + l.buckets }
func (l layout) maxWeight(i int) float32 { // maximum absolute value of parameter i
	switch {
	case i < l.inputBiasEnd():
		return nnue.WeightLimit
	case i < l.outputEnd():
		return nnue.OutputLimit
	}
	return math.MaxFloat32
}

// parameters is a vector of weights or of their derivatives.
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

// initialize draws the weights so that the outputs of both layers are about of unit size
// with the 34 features that most positions have.
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

// quantise rounds the weights to the units of the network.
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

// adamW is the AdamW optimiser: Adam with decoupled weight decay (Loshchilov and Hutter,
// 2019).
type adamW struct {
	decay  float64
	m, v   []float32 // running means of derivative and of its square
	step   int
	layout layout
}

const (
	beta1   = 0.9
	beta2   = 0.999
	epsilon = 1e-8
)

func newAdamW(l layout, decay float64) *adamW {
	return &adamW{decay: decay, m: make([]float32, l.size()), v: make([]float32, l.size()), layout: l}
}

// update updates weights[from:to] by the sum of the workers' gradients, which it clears.
// The caller increments step once per batch, before.
func (a *adamW) update(weights []float32, workers []*worker, from, to int, batch int, rate float64) {
	inverse := 1 / float32(batch)
	correct1 := float32(1 / (1 - math.Pow(beta1, float64(a.step))))
	correct2 := float32(1 / (1 - math.Pow(beta2, float64(a.step))))
	lr, shrink := float32(rate), float32(1-rate*a.decay)
	for i := from; i < to; i++ {
		g := float32(0)
		for _, w := range workers {
			g += w.grad.all[i]
			w.grad.all[i] = 0
		}
		g *= inverse
		a.m[i] += (1 - beta1) * (g - a.m[i])
		a.v[i] += (1 - beta2) * (g*g - a.v[i])
		move := lr * a.m[i] * correct1 / (float32(math.Sqrt(float64(a.v[i]*correct2))) + epsilon)
		limit := a.layout.maxWeight(i)
		weights[i] = min(max(weights[i]*shrink-move, -limit), limit)
	}
}

// cosineRate is the learning rate at a step: a cosine from peak to 2 % of it, after a
// warm-up over the first fiftieth of the steps.
func cosineRate(peak float64, step, steps int) float64 {
	x := float64(step) / float64(steps)
	rate := peak * (0.02 + 0.98*(1+math.Cos(math.Pi*x))/2)
	return rate * min(1, 50*float64(step+1)/float64(steps))
}
