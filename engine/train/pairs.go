package train

import (
	"math/rand/v2"
	"slices"

	"github.com/zhbot/zhbot/engine/nnue"
)

// A pair of the first layer is dead if it is zero in every position: then its derivatives
// are zero too, it learns nothing more, and weight decay removes what it had learned. In
// the first half of the training dead pairs are drawn anew.

const (
	// pairSamples is how many positions tell which pairs are dead.
	pairSamples = 100_000

	// minProduct is the least product of two activations that a network does not round
	// to zero, in its units.
	minProduct = nnue.ProductUnit * nnue.QuantA * nnue.QuantA / 2
)

// redrawSteps is how often dead pairs are drawn anew, in steps.
const redrawSteps = 500

// livePairs returns how many pairs are other than zero in some of the training samples.
func (r *Run) livePairs() (live int, err error) {
	sh, err := r.train.load(0)
	if err != nil {
		return 0, err
	}
	return r.opts.Width/2 - len(r.deadPairs(sh)), nil
}

// deadPairs returns the pairs that are zero in all samples of a shard, or in the first
// of many.
func (r *Run) deadPairs(sh *sampleShard) (dead []int) {
	samples := firstNumbers(min(sh.len(), pairSamples))
	fired := make([][]bool, len(r.workers))
	r.parallel(len(samples), func(worker, from, to int) {
		fired[worker] = r.workers[worker].firingPairs(sh, samples[from:to])
	})
	for pair := range r.opts.Width / 2 {
		if !slices.ContainsFunc(fired, func(f []bool) bool { return f[pair] }) {
			dead = append(dead, pair)
		}
	}
	return dead
}

// redrawDead draws the first layer of dead pairs anew. What follows it begins at zero, so
// that the network computes the same until it has learned from them.
func (r *Run) redrawDead(sh *sampleShard) {
	rng := rand.New(rand.NewPCG(r.opts.Seed, 1<<32+uint64(r.optimizer.step)))
	for _, pair := range r.deadPairs(sh) {
		for _, neuron := range [2]int{pair, r.opts.Width/2 + pair} {
			r.weights.eachOf(neuron, func(weights []float32) { clear(weights) })
			for row := neuron; row < len(r.weights.inputCommon); row += r.opts.Width {
				fill(rng, r.weights.inputCommon[row:][:1], -inputBound, inputBound)
			}
			for row := pieceRows*r.opts.Width + neuron; row < len(r.weights.input); row += r.opts.Width {
				fill(rng, r.weights.input[row:][:1], -inputBound, inputBound)
			}
			fill(rng, r.weights.inputBias[neuron:][:1], lowBias, highBias)
			for _, moments := range [][]float32{r.optimizer.m, r.optimizer.v} {
				divide(r.weights.shape, moments).eachOf(neuron, func(weights []float32) { clear(weights) })
			}
		}
	}
	r.prepare()
}

// eachOf calls do with all weights of a neuron of the first layer: to it, from row to row,
// and from it.
func (p *parameters) eachOf(neuron int, do func(weights []float32)) {
	for _, part := range p.parts() {
		if n := part.perNeuron; n > 0 {
			for row := 0; row < part.size; row += p.width * n {
				do((*part.slice)[row+neuron*n:][:n])
			}
		}
	}
}

// firingPairs reports for each pair whether it is other than zero in some of the samples.
func (w *worker) firingPairs(sh *sampleShard, samples []int) []bool {
	fired := make([]bool, w.weights.width/2)
	for part := range slices.Chunk(samples, chunkSize) {
		w.chunk.set(sh, part, w.weights.buckets)
		w.first.forward(w.weights.first, &w.chunk.features)
		for row := range 2 * len(part) {
			acc := w.first.accOf(row)
			for i, second := range acc[len(fired):] {
				if !fired[i] && acc[i] > 0 && second > 0 {
					fired[i] = min(int(acc[i]), nnue.QuantA)*min(int(second), nnue.QuantA) >= minProduct
				}
			}
		}
	}
	return fired
}
