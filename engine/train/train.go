package train

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/zhbot/zhbot/engine/nnue"
)

// Options says how to train. Zero fields take the values of [DefaultOptions]
// where zero means nothing.
type Options struct {
	Width   int // neurons of one perspective, a multiple of 128
	Buckets int // output neurons
	Epochs  int
	Batch   int
	Workers int // goroutines; the result depends on their number
	Seed    uint64

	Rate  float64 // peak learning rate
	Decay float64 // AdamW's weight decay

	Checkpoint string // file written after each epoch, and resumed from; "" for none
	Origin     string // what the summary says of the data
}

// DefaultOptions returns the recipe of the network in the program.
func DefaultOptions() Options {
	return Options{
		Width: 256, Buckets: 1, Epochs: 12, Batch: 16384, Workers: 2, Seed: 1,
		Rate: 1e-3, Decay: 0.5,
	}
}

// Progress is what a training run has reached.
type Progress struct {
	Epoch, Epochs int
	Batch         int // of the epoch
	Batches       int // in an epoch
	Loss          float64
	Validation    float64 // after the epoch's last batch, else 0
	Rate          float64
	PerSecond     float64 // positions
}

// EpochLoss is a point of the loss curve: mean squared errors.
type EpochLoss struct {
	Train, Validation float64
}

// Run is a training run. Its state after each epoch is its checkpoint.
type Run struct {
	opts       Options
	train      *Samples
	validation *Samples
	weights    parameters
	optimizer  *adamW
	workers    []*worker
	history    []EpochLoss
}

// NewRun prepares a run, from the checkpoint if there is one.
func NewRun(opts Options, train, validation *Samples) (*Run, error) {
	if train.Len() == 0 {
		return nil, errors.New("train: no positions left to learn from; give more games or a looser filter")
	}
	if opts.Width <= 0 || opts.Width%128 != 0 || opts.Buckets <= 0 || opts.Epochs <= 0 || opts.Batch <= 0 || opts.Workers <= 0 {
		return nil, fmt.Errorf("train: width %d must be a multiple of 128; buckets, epochs, batch and workers at least 1", opts.Width)
	}
	l := layout{opts.Width, opts.Buckets}
	r := &Run{opts: opts, train: train, validation: validation}
	r.weights = newParameters(l, make([]float32, l.size()))
	r.weights.initialize(rand.New(rand.NewPCG(opts.Seed, 0)))
	r.optimizer = newAdamW(l, opts.Decay)
	for range opts.Workers {
		r.workers = append(r.workers, newWorker(r.weights))
	}
	if err := r.restore(); err != nil {
		return nil, err
	}
	return r, nil
}

// Epochs returns how many epochs are done.
func (r *Run) Epochs() int { return len(r.history) }

// History returns the losses after each epoch.
func (r *Run) History() []EpochLoss { return r.history }

// Train runs the epochs that are left and returns the quantised network. A
// cancelled context ends it with the context's error; the checkpoint stands
// at the last whole epoch.
func (r *Run) Train(ctx context.Context, report func(Progress)) (*nnue.Network, error) {
	for len(r.history) < r.opts.Epochs {
		loss, err := r.epoch(ctx, report)
		if err != nil {
			return nil, fmt.Errorf("train epoch %d: %w", len(r.history)+1, err)
		}
		r.history = append(r.history, loss)
		if err := r.save(); err != nil {
			return nil, err
		}
	}
	return r.weights.quantise(r.summary())
}

// epoch learns from every sample once.
func (r *Run) epoch(ctx context.Context, report func(Progress)) (EpochLoss, error) {
	epoch := len(r.history)
	rng := rand.New(rand.NewPCG(r.opts.Seed, uint64(epoch)+1))
	all, batches := r.train.Len(), r.batches()
	start, sum, done, step := time.Now(), 0.0, 0, 0
	for number, sh := range r.train.inOrder(rng.Perm(len(r.train.counts))) {
		if sh.err != nil {
			return EpochLoss{}, sh.err
		}
		order := rng.Perm(sh.len())
		n := r.batchesOf(len(order))
		for b := range n {
			if err := ctx.Err(); err != nil {
				return EpochLoss{}, err
			}
			batch := order[b*len(order)/n : (b+1)*len(order)/n]
			rate := cosineRate(r.opts.Rate, epoch*batches+step, r.opts.Epochs*batches)
			sum += r.step(sh.shard, number, batch, uint64(epoch), rate)
			step++
			done += len(batch)
			if report != nil && step < batches {
				report(Progress{epoch + 1, r.opts.Epochs, step, batches, sum / float64(done), 0, rate,
					float64(done) / time.Since(start).Seconds()})
			}
		}
	}
	took := time.Since(start)
	validation, err := r.validate()
	loss := EpochLoss{sum / float64(all), validation}
	if report != nil && err == nil {
		report(Progress{epoch + 1, r.opts.Epochs, batches, batches, loss.Train, loss.Validation, 0,
			float64(all) / took.Seconds()})
	}
	return loss, err
}

// batches returns how many batches an epoch has.
func (r *Run) batches() (n int) {
	for _, samples := range r.train.counts {
		n += r.batchesOf(samples)
	}
	return n
}

// batchesOf returns into how many batches a shard is divided, all of about the
// same size: a small last one would move the weights as far by less evidence.
func (r *Run) batchesOf(samples int) int {
	if samples == 0 {
		return 0
	}
	return max(1, (samples+r.opts.Batch/2)/r.opts.Batch)
}

// step learns from one batch of a shard and returns the sum of squared errors.
func (r *Run) step(sh *shard, number int, batch []int, epoch uint64, rate float64) float64 {
	sums := make([]float64, len(r.workers))
	r.parallel(len(batch), func(worker, from, to int) {
		for _, i := range batch[from:to] {
			mirror := mirrored(r.opts.Seed, epoch, uint64(number)<<32|uint64(i))
			sums[worker] += r.workers[worker].addGradient(sh, i, mirror)
		}
	})
	r.optimizer.step++
	r.parallel(r.weights.size(), func(_, from, to int) {
		r.optimizer.update(r.weights.all, r.workers, from, to, len(batch), rate)
	})
	return total(sums)
}

// validate returns the mean squared error on the games held out.
func (r *Run) validate() (float64, error) {
	n := r.validation.Len()
	if n == 0 {
		return 0, nil
	}
	order := make([]int, len(r.validation.counts))
	for i := range order {
		order[i] = i
	}
	sums := make([]float64, len(r.workers))
	for _, sh := range r.validation.inOrder(order) {
		if sh.err != nil {
			return 0, sh.err
		}
		r.parallel(sh.len(), func(worker, from, to int) {
			for i := from; i < to; i++ {
				sums[worker] += r.workers[worker].loss(sh.shard, i)
			}
		})
	}
	return total(sums) / float64(n), nil
}

func total(sums []float64) (t float64) {
	for _, s := range sums {
		t += s
	}
	return t
}

// parallel splits 0 to n among the workers.
func (r *Run) parallel(n int, do func(worker, from, to int)) {
	var g errgroup.Group
	for w := range r.workers {
		g.Go(func() error {
			do(w, n*w/len(r.workers), n*(w+1)/len(r.workers))
			return nil
		})
	}
	g.Wait() //nolint:errcheck // the workers return no errors
}

// mirrored decides by a hash, the same at every run, whether a sample is seen
// mirrored left to right in an epoch.
func mirrored(seed, epoch, sample uint64) bool {
	x := (sample + epoch*0x9e3779b97f4a7c15 + seed) * 0xbf58476d1ce4e5b9
	return x>>63 != 0
}
