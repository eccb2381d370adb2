package train

import "slices"

// worker computes loss and gradient of its share of a batch.
type worker struct {
	weights *model
	grad    *parameters
	head    *stackHead
	chunk   chunk
	first   *firstLayer
}

func newWorker(weights *model) *worker {
	w := &worker{weights: weights, grad: newParameters(weights.shape), first: newFirstLayer(weights.width)}
	w.head = newStackHead(weights, w.grad)
	return w
}

// learn adds the gradient of samples and returns the sum of their squared errors.
func (w *worker) learn(sh *sampleShard, samples []int) (sum float64) {
	for part := range slices.Chunk(samples, chunkSize) {
		w.chunk.set(sh, part, w.weights.buckets)
		w.first.forward(w.weights.first, &w.chunk.features)
		for i := range w.chunk.positions {
			predicted, e := w.predict(i)
			w.head.backward(float32(2*e*predicted*(1-predicted)), w.first.deltaOf(2*i), w.first.deltaOf(2*i+1))
			sum += e * e
		}
		w.chunk.transpose()
		w.first.backward(w.grad, &w.chunk.rows)
	}
	w.head.finish()
	w.grad.gatherCommon()
	return sum
}

// measure adds the squared errors of samples to a loss.
func (w *worker) measure(sh *sampleShard, samples []int, loss *lossSum) {
	for part := range slices.Chunk(samples, chunkSize) {
		w.chunk.set(sh, part, w.weights.buckets)
		w.first.forward(w.weights.first, &w.chunk.features)
		for i, p := range w.chunk.positions {
			_, e := w.predict(i)
			loss.add(int(p.inHand), e*e)
		}
	}
}

// predict returns the points that the network expects in a position of the chunk, and the
// error.
func (w *worker) predict(i int) (points, e float64) {
	p := &w.chunk.positions[i]
	out := w.head.forward(w.first.accOf(2*i), w.first.accOf(2*i+1), &w.chunk.counts[i], int(p.bucket))
	points = sigmoid(float64(out))
	return points, points - float64(p.expected)
}
