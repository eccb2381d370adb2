package train

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/rules"
)

// Options configure a training run.
type Options struct {
	Width   int // neurons of one perspective, a multiple of 128
	Buckets int // output neurons
	Epochs  int
	Batch   int
	Workers int // goroutines; the result depends on their number
	Seed    uint64

	Rate  float64 // peak learning rate
	Decay float64 // AdamW's weight decay

	Checkpoint string // file written after each epoch and resumed from; empty means none
	Origin     string // description of the data, for the network's summary
}

// DefaultOptions returns the options of the embedded network.
func DefaultOptions() Options {
	return Options{
		Width: 256, Buckets: 1, Epochs: 12, Batch: 16384, Workers: 2, Seed: 1,
		Rate: 1e-3, Decay: 0.5,
	}
}

// Progress is the progress of a training run.
type Progress struct {
	Epoch, Epochs int
	Batch         int // in the epoch
	Batches       int // per epoch
	Loss          float64
	Validation    float64 // after the last batch of the epoch, else 0
	Rate          float64
	PerSecond     float64 // positions per second
}

// EpochLoss is the loss of an epoch: mean squared errors.
type EpochLoss struct {
	Train, Validation float64
}

// Run is a training run. Its checkpoint has its state after each epoch.
type Run struct {
	opts       Options
	train      *Samples
	validation *Samples
	weights    parameters
	optimizer  *adamW
	workers    []*worker
	history    []EpochLoss
}

// NewRun prepares a run, from its checkpoint if there is one. Invalid options, too few
// samples, or a checkpoint of other options are errors.
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

// Epochs returns the number of completed epochs.
func (r *Run) Epochs() int { return len(r.history) }

// History returns the losses of the completed epochs.
func (r *Run) History() []EpochLoss { return r.history }

// Train runs the remaining epochs and returns the quantised network. It calls report, if
// not nil, after each batch. If the context is done it returns the context's error; the
// checkpoint then has the last complete epoch.
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
			sum += r.step(sh.sampleShard, number, batch, uint64(epoch), rate)
			step++
			done += len(batch)
			if report != nil && step < batches {
				report(Progress{epoch + 1, r.opts.Epochs, step, batches, sum / float64(done), 0, rate,
					float64(done) / time.Since(start).Seconds()})
			}
		}
	}
	elapsed := time.Since(start)
	validation, err := r.validate()
	loss := EpochLoss{sum / float64(all), validation}
	if report != nil && err == nil {
		report(Progress{epoch + 1, r.opts.Epochs, batches, batches, loss.Train, loss.Validation, 0,
			float64(all) / elapsed.Seconds()})
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
func (r *Run) step(sh *sampleShard, number int, batch []int, epoch uint64, rate float64) float64 {
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

// validate returns the mean squared error on the validation set.
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
				sums[worker] += r.workers[worker].loss(sh.sampleShard, i)
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

// mirrored reports, by a hash, whether a sample is mirrored in an epoch.
func mirrored(seed, epoch, sample uint64) bool {
	x := (sample + epoch*0x9e3779b97f4a7c15 + seed) * 0xbf58476d1ce4e5b9
	return x>>63 != 0
}

// worker computes loss and gradient of its share of a batch.
type worker struct {
	weights parameters
	grad    parameters
	hidden  [2][]float32 // first layer, the side to move first
	delta   []float32
	rows    [2][]uint16
}

func newWorker(weights parameters) *worker {
	w := &worker{
		weights: weights,
		grad:    newParameters(weights.layout, make([]float32, weights.size())),
		delta:   make([]float32, weights.width),
	}
	for i := range w.hidden {
		w.hidden[i] = make([]float32, weights.width)
		w.rows[i] = make([]uint16, 0, nnue.MaxActive)
	}
	return w
}

// predict computes the first layer for a sample and returns the network's output, the
// output weights and the bucket used, and the expected points of the side to move.
func (w *worker) predict(s *sampleShard, i int, mirror bool) (out float32, output []float32, bucket int, expected float32) {
	features, t := s.sample(i)
	sideToMove, opponent := w.rows[0][:0], w.rows[1][:0]
	for _, f := range features {
		if mirror {
			f = nnue.Mirror(f)
		}
		if t.turn == rules.Black {
			f = nnue.Flip(f)
		}
		sideToMove, opponent = append(sideToMove, f), append(opponent, nnue.Flip(f))
	}
	w.rows[0], w.rows[1] = sideToMove, opponent
	gather(w.hidden[0], w.weights.inputBias, w.weights.input, w.rows[0])
	gather(w.hidden[1], w.weights.inputBias, w.weights.input, w.rows[1])
	bucket = nnue.BucketOf(int(t.inHand), w.weights.buckets)
	width := w.weights.width
	output = w.weights.output[bucket*2*width:][:2*width]
	out = forward(w.hidden[0], output[:width]) + forward(w.hidden[1], output[width:]) + w.weights.outBias[bucket]
	return out, output, bucket, t.sideToMoveTarget()
}

// loss returns the squared error of a sample.
func (w *worker) loss(s *sampleShard, i int) float64 {
	out, _, _, expected := w.predict(s, i, false)
	e := sigmoid(float64(out)) - float64(expected)
	return e * e
}

var biasRow = []uint16{0}

// addGradient adds a sample's gradient and returns its squared error.
func (w *worker) addGradient(s *sampleShard, i int, mirror bool) float64 {
	out, output, bucket, expected := w.predict(s, i, mirror)
	p := sigmoid(float64(out))
	e := p - float64(expected)
	slope := float32(2 * e * p * (1 - p))

	width := w.weights.width
	gradOutput := w.grad.output[bucket*2*width:][:2*width]
	w.grad.outBias[bucket] += slope
	for side, half := range w.hidden {
		part := side * width
		backward(half, output[part:part+width], slope, gradOutput[part:part+width], w.delta)
		scatter(w.grad.input, w.delta, w.rows[side])
		scatter(w.grad.inputBias, w.delta, biasRow)
	}
	return e * e
}
