package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zhbot/zhbot/engine/nnue"
)

// The gradient equals finite differences of the loss. A weight of the first layer changes
// by a unit of the network, since it is rounded to one.
func TestGradient_MatchesDifferences(t *testing.T) {
	train, validation := smallSamples(t, 30)
	o := smallOptions()
	o.Buckets, o.Workers = 4, 1
	run := newRun(t, o, train, validation)
	samples := make([]int, 500)
	for i := range samples {
		samples[i] = i
	}
	p, w, sh := run.weights.parameters, run.workers[0], firstShard(t, train)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, part := range [][]float32{p.own, p.ownAttacks} { // which are 0 at first
		for i := range part {
			part[i] = float32(rng.NormFloat64() * 0.05)
		}
	}
	loss := func() float64 {
		run.prepare()
		var sum lossSum
		w.measure(sh, samples, &sum)
		mean, _ := sum.mean()
		return mean * float64(len(samples))
	}
	loss()
	w.learn(sh, samples)
	offset := 0
	for number, part := range p.parts() {
		step := float32(1e-3)
		if part.limit == nnue.WeightLimit {
			step = 1.0 / nnue.QuantA
		}
		checkPart(t, fmt.Sprint("part ", number), (*part.slice), w.grad.all[offset:][:part.size], step, loss)
		offset += part.size
	}
}

// checkPart checks the five largest of a hundred derivatives with respect to parameters of
// a part.
func checkPart(t *testing.T, name string, weights, gradient []float32, step float32, loss func() float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	for range 5 {
		i := rng.IntN(len(weights))
		for range 100 {
			if j := rng.IntN(len(weights)); math.Abs(float64(gradient[j])) > math.Abs(float64(gradient[i])) {
				i = j
			}
		}
		old := weights[i]
		weights[i] = old + step
		up := loss()
		weights[i] = old - step
		down := loss()
		weights[i] = old
		want, got := (up-down)/float64(2*step), float64(gradient[i])
		if math.Abs(got-want) > 0.1*math.Abs(want)+1e-3 {
			t.Errorf("%s: derivative %d is %g, differences give %g", name, i, got, want)
		}
	}
}
