package train

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"golang.org/x/sync/errgroup"

	"github.com/zhbot/zhbot/engine/nnue"
)

// Options configure a training run.
type Options struct {
	Width   int // neurons of one perspective, a multiple of nnue.WidthStep and at least minWidth
	Buckets int // layer stacks, 1 to 16

	From *nnue.Network // network of this shape to start from; nil means random weights

	Epochs  int    // passes over the samples
	Batch   int    // samples of a step, about
	Workers int    // goroutines; the result depends on their number
	Seed    uint64 // of the initial weights, the order of the samples, and redrawn pairs

	Rate      float64 // learning rate
	Fall      float64 // share of the steps, the last ones, in which the rate falls
	StackRate float64 // that of the layers after the first, as a multiple of Rate
	Decay     float64 // AdamW's weight decay

	Checkpoint string // file written after each epoch and resumed from; empty means none
	Constant   string // file for the network at the end of the constant rate; empty means none
	Origin     string // description of the data, for the network's summary
}

// DefaultOptions returns the options of the embedded network.
func DefaultOptions() Options {
	return Options{
		Width: 512, Buckets: 8, Epochs: 6, Batch: 8192, Workers: 2, Seed: 1,
		Rate: 3e-3, Fall: 0.15, StackRate: 1, Decay: 0.1,
	}
}

// The bounds of Options.Width and Options.Buckets.
const minWidth, maxBuckets = 128, 16

// Progress is the progress of a training run.
type Progress struct {
	EpochLoss     // with the last batch of the epoch
	Epoch     int // from 1
	Batch     int // in the epoch
	Batches   int // per epoch
}

// EpochLoss is the loss of an epoch: mean squared errors.
type EpochLoss struct {
	Train, Validation float64
	Phases            PhaseLoss // of the validation
	LivePairs         int       // of the first layer
}

// Run is a training run. Its checkpoint has its state after each epoch.
type Run struct {
	opts       Options
	train      *Samples
	validation *Samples
	weights    *model
	optimizer  *adamW
	workers    []*worker

	History []EpochLoss // the losses of the completed epochs
	Final   EpochLoss   // the validation loss of the network that Train returned, with all its weights rounded
}

// NewRun prepares a run, from its checkpoint if there is one. Invalid options, too few
// samples, and a checkpoint of other options are errors.
func NewRun(opts Options, train, validation *Samples) (*Run, error) {
	if train.Len() == 0 {
		return nil, errors.New("train: no positions left to learn from; give more games")
	}
	if opts.Width < minWidth || opts.Width%nnue.WidthStep != 0 || opts.Buckets <= 0 || opts.Buckets > maxBuckets ||
		opts.Epochs <= 0 || opts.Batch <= 0 || opts.Workers <= 0 {
		return nil, fmt.Errorf("train: width %d must be a multiple of %d, at least %d; buckets 1 to %d; "+
			"epochs, batch and workers at least 1", opts.Width, nnue.WidthStep, minWidth, maxBuckets)
	}
	p := newParameters(shape{opts.Width, opts.Buckets})
	r := &Run{opts: opts, train: train, validation: validation, weights: newModel(p),
		optimizer: newAdamW(p, opts.Decay, opts.StackRate)}
	p.initialize(rand.New(rand.NewPCG(opts.Seed, 0)))
	if opts.From != nil {
		if err := p.start(opts.From); err != nil {
			return nil, err
		}
	}
	for range opts.Workers {
		r.workers = append(r.workers, newWorker(r.weights))
	}
	if err := r.restore(); err != nil {
		return nil, err
	}
	r.prepare()
	return r, nil
}

// Train runs the remaining epochs and returns the quantised network. It calls report, if
// not nil, after each batch. If the context is done it returns the context's error; the
// checkpoint then has the last complete epoch.
func (r *Run) Train(ctx context.Context, report func(Progress)) (*nnue.Network, error) {
	if report == nil {
		report = func(Progress) {}
	}
	for len(r.History) < r.opts.Epochs {
		loss, err := r.epoch(ctx, report)
		if err != nil {
			return nil, fmt.Errorf("train epoch %d: %w", len(r.History)+1, err)
		}
		r.History = append(r.History, loss)
		if err := r.save(); err != nil {
			return nil, err
		}
	}
	return r.export()
}

// export returns the network and measures its loss.
func (r *Run) export() (*nnue.Network, error) {
	n, err := r.weights.export(r.summary())
	if err != nil {
		return nil, err
	}
	exact := r.weights.parameters
	r.weights.parameters = parametersOf(n)
	r.prepare()
	r.Final.Validation, r.Final.Phases, err = r.validate()
	r.weights.parameters = exact
	r.prepare()
	return n, err
}

// prepare derives from the weights what the workers use.
func (r *Run) prepare() {
	n := len(r.workers)
	r.parallel(n, func(worker, _, _ int) { r.weights.prepare(worker, n) })
}

// epoch learns from every sample once.
func (r *Run) epoch(ctx context.Context, report func(Progress)) (EpochLoss, error) {
	epoch, batches := len(r.History), r.batches()
	rng := rand.New(rand.NewPCG(r.opts.Seed, uint64(epoch)+1))
	sum, step := 0.0, 0
	for sh, err := range r.train.inOrder(rng.Perm(len(r.train.counts))) {
		if err != nil {
			return EpochLoss{}, err
		}
		order := rng.Perm(sh.len())
		n := r.batchesOf(len(order))
		for b := range n {
			if err := ctx.Err(); err != nil {
				return EpochLoss{}, err
			}
			batch := order[b*len(order)/n : (b+1)*len(order)/n]
			at, steps := epoch*batches+step, r.opts.Epochs*batches
			if at%redrawSteps == 0 && at < steps/2 {
				r.redrawDead(sh)
			}
			if at == r.opts.fallStart(steps) {
				if err := r.saveConstant(); err != nil {
					return EpochLoss{}, err
				}
			}
			sum += r.step(sh, batch, r.opts.rateAt(at, steps))
			if step++; step < batches {
				report(Progress{Epoch: epoch + 1, Batch: step, Batches: batches})
			}
		}
	}
	loss := EpochLoss{Train: sum / float64(r.train.Len())}
	var err error
	if loss.Validation, loss.Phases, err = r.validate(); err == nil {
		loss.LivePairs, err = r.livePairs()
	}
	if err == nil {
		report(Progress{loss, epoch + 1, batches, batches})
	}
	return loss, err
}

// batches returns the number of batches of an epoch.
func (r *Run) batches() (n int) {
	for _, samples := range r.train.counts {
		n += r.batchesOf(samples)
	}
	return n
}

// batchesOf returns the number of batches of a shard, all of about the same size: a small
// last one would change the weights as much, on less evidence.
func (r *Run) batchesOf(samples int) int {
	if samples == 0 {
		return 0
	}
	return max(1, (samples+r.opts.Batch/2)/r.opts.Batch)
}

// step learns from a batch of a shard and returns the sum of squared errors.
func (r *Run) step(sh *sampleShard, batch []int, rate float64) (squares float64) {
	sums := make([]float64, len(r.workers))
	r.parallel(len(batch), func(worker, from, to int) {
		sums[worker] = r.workers[worker].learn(sh, batch[from:to])
	})
	r.optimizer.step++
	r.parallel(len(r.weights.all), func(_, from, to int) {
		r.optimizer.update(r.weights.all, r.workers, from, to, len(batch), rate)
	})
	r.prepare()
	for _, sum := range sums {
		squares += sum
	}
	return squares
}

// validate returns the loss on the validation set.
func (r *Run) validate() (all float64, phases PhaseLoss, err error) {
	sums := make([]lossSum, len(r.workers))
	for sh, err := range r.validation.inOrder(firstNumbers(len(r.validation.counts))) {
		if err != nil {
			return 0, phases, err
		}
		samples := firstNumbers(sh.len())
		r.parallel(len(samples), func(worker, from, to int) {
			r.workers[worker].measure(sh, samples[from:to], &sums[worker])
		})
	}
	for i := range sums[1:] {
		sums[0].merge(&sums[1+i])
	}
	all, phases = sums[0].mean()
	return all, phases, nil
}

// firstNumbers returns the numbers from 0 to n - 1.
func firstNumbers(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// parallel divides 0 to n among the workers.
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
