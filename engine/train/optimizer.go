package train

import "math"

// adamW is the AdamW optimiser: Adam with weight decay apart from the
// derivative (Loshchilov and Hutter, 2019).
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

// update moves weights[from:to] against the sum of the workers' derivatives,
// which it clears. The caller counts step up first, once a batch.
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

// cosineRate falls from peak to 2 % of it over all steps, after a rise over the
// first fiftieth.
func cosineRate(peak float64, step, steps int) float64 {
	x := float64(step) / float64(steps)
	rate := peak * (0.02 + 0.98*(1+math.Cos(math.Pi*x))/2)
	return rate * min(1, 50*float64(step+1)/float64(steps))
}
