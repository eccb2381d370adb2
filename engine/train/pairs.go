package train

import (
	"fmt"
	"slices"

	"github.com/zhbot/zhbot/engine/nnue"
)

// A pair of the first layer is dead if it is zero in every position: then its derivatives
// are zero too, it learns nothing more, and weight decay removes what it had learned.

const (
	// pairSamples is how many positions tell which pairs are dead.
	pairSamples = 100_000

	// minProduct is the least product of two activations that a network does not round
	// to zero, in its units.
	minProduct = nnue.ProductUnit * nnue.QuantA * nnue.QuantA / 2
)

// livePairs returns how many pairs are other than zero in some of the training samples.
func (r *Run) livePairs() (live int, err error) {
	sh, err := r.train.load(0)
	if err != nil {
		return 0, err
	}
	samples := firstNumbers(min(sh.len(), pairSamples))
	fired := make([][]bool, len(r.workers))
	r.parallel(len(samples), func(worker, from, to int) { fired[worker] = r.workers[worker].firingPairs(sh, samples[from:to]) })
	for pair := range r.opts.Width / 2 {
		if slices.ContainsFunc(fired, func(f []bool) bool { return f[pair] }) {
			live++
		}
	}
	return live, nil
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

// checkPairs returns an error if too many pairs are dead.
func (o *Options) checkPairs(live int) error {
	if dead := o.Width/2 - live; float64(dead) > o.MaxDead*float64(o.Width/2) {
		return fmt.Errorf("%d of %d pairs are dead, more than %g %%: use a lower rate or decay, or a smaller width", dead, o.Width/2, 100*o.MaxDead)
	}
	return nil
}
