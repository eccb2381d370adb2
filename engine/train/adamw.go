package train

import "math"

// adamW is the AdamW optimiser: Adam with decoupled weight decay (Loshchilov and Hutter,
// 2019).
type adamW struct {
	decay  float64
	stacks float64   // learning rate of the stacks, as a multiple of that of the first layer
	first  int       // number of parameters of the first layer, which come first
	m, v   []float32 // running means of the derivative and of its square
	limits []float32 // maximum absolute values of parameters
	step   int
}

const (
	beta1   = 0.9
	beta2   = 0.999
	epsilon = 1e-8
)

func newAdamW(p *parameters, decay, stacks float64) *adamW {
	a := &adamW{decay: decay, stacks: stacks, first: len(p.input) + len(p.inputBias) + len(p.inputCommon),
		m: make([]float32, len(p.all)),
		v: make([]float32, len(p.all))}
	for _, part := range p.parts() {
		for range part.size {
			a.limits = append(a.limits, part.limit)
		}
	}
	return a
}

// update updates weights[from:to] by the sum of the workers' gradients, which it clears.
// The caller increments step once per batch, before.
func (a *adamW) update(weights []float32, workers []*worker, from, to int, batch int, rate float64) {
	gradient := workers[0].grad.all[from:to]
	for _, w := range workers[1:] {
		for i, g := range w.grad.all[from:to] {
			gradient[i] += g
		}
		clear(w.grad.all[from:to])
	}
	border := min(max(from, a.first), to)
	a.apply(weights, gradient[:border-from], from, batch, rate)
	a.apply(weights, gradient[border-from:], border, batch, rate*a.stacks)
	clear(gradient)
}

// apply takes a step with the weights from an index on, by their gradient.
func (a *adamW) apply(weights, gradient []float32, from, batch int, rate float64) {
	s := adamStep{
		gradientScale:   1 / float32(batch),
		learningRate:    float32(rate / (1 - math.Pow(beta1, float64(a.step)))),
		biasCorrection2: float32(1 / (1 - math.Pow(beta2, float64(a.step)))),
		weightDecay:     float32(1 - rate*a.decay),
		oneMinusBeta1:   1 - beta1,
		oneMinusBeta2:   1 - beta2,
		epsilon:         epsilon,
	}
	to := from + len(gradient)
	s.apply(weights[from:to], gradient, a.m[from:to], a.v[from:to], a.limits[from:to])
}

// warmUp is the share of the steps in which the learning rate rises at first.
const warmUp = 0.02

// fallStart is the first of the last steps, in which the learning rate falls: one at least.
func (o *Options) fallStart(steps int) int { return steps - max(1, int(o.Fall*float64(steps))) }

// rateAt is the learning rate at a step: constant but for the first steps and the last, in
// which it falls to 1 %.
func (o *Options) rateAt(step, steps int) float64 {
	done, left := float64(step+1)/float64(steps), float64(steps-step)/float64(steps)
	return o.Rate * min(1, done/warmUp) * (0.01 + 0.99*min(1, left/o.Fall))
}
