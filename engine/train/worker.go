package train

import (
	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/rules"
)

// worker computes loss and derivatives of its share of a batch.
type worker struct {
	weights parameters
	grad    parameters
	hidden  [2][]float32 // first layer, mover's view first
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

// predict fills the first layer for a sample and returns the network's output,
// and the points that the side to move may expect.
func (w *worker) predict(s *shard, i int, mirror bool) (out float32, output []float32, bucket int, expected float32) {
	features, t := s.sample(i)
	own, other := w.rows[0][:0], w.rows[1][:0]
	for _, f := range features {
		if mirror {
			f = nnue.Mirror(f)
		}
		if t.turn == rules.Black {
			f = nnue.Flip(f)
		}
		own, other = append(own, f), append(other, nnue.Flip(f))
	}
	w.rows[0], w.rows[1] = own, other
	gather(w.hidden[0], w.weights.inputBias, w.weights.input, w.rows[0])
	gather(w.hidden[1], w.weights.inputBias, w.weights.input, w.rows[1])
	bucket = nnue.BucketOf(int(t.inHand), w.weights.buckets)
	width := w.weights.width
	output = w.weights.output[bucket*2*width:][:2*width]
	out = forward(w.hidden[0], output[:width]) + forward(w.hidden[1], output[width:]) + w.weights.outBias[bucket]
	return out, output, bucket, t.sideToMoveTarget()
}

// loss returns the squared error for a sample.
func (w *worker) loss(s *shard, i int) float64 {
	out, _, _, expected := w.predict(s, i, false)
	e := sigmoid(float64(out)) - float64(expected)
	return e * e
}

var biasRow = []uint16{0}

// addGradient adds a sample's derivatives and returns its squared error.
func (w *worker) addGradient(s *shard, i int, mirror bool) float64 {
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
