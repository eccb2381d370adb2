package nnue

import (
	"fmt"

	"github.com/zhbot/zhbot/rules"
)

// The units of the quantised weights and of the output.
const (
	QuantA = 255 // first layer: 1.0
	QuantB = 64  // second layer: 1.0
	scale  = 400 // centipawns in one unit of output

	// WeightLimit is the maximum weight of the first layer, in its unit: 64 features and
	// the bias then fit int16.
	WeightLimit = 505.0 / QuantA
	// OutputLimit is the maximum weight of the second layer, in its unit.
	OutputLimit = 127.0 / QuantB
)

// Network is a trained network. It is immutable, and safe for concurrent use.
type Network struct {
	weights Weights
	hash    string
}

// Summary returns the trainer's description of the network.
func (n *Network) Summary() string { return n.weights.Summary }

// Hash returns the first 12 hex digits of the SHA-256 of the weights.
func (n *Network) Hash() string { return n.hash }

// String returns the name and the shape of the network, such as "zh-64b581950936 (956 ->
// 256x2 -> 1)".
func (n *Network) String() string {
	return fmt.Sprintf("zh-%s (%d -> %dx2 -> %d)", n.hash, Inputs, n.weights.Width, n.weights.Buckets)
}

// BucketOf returns the index of the output neuron for the number of pieces in both
// pockets, given the number of neurons: the more pieces, the higher.
func BucketOf(inHand, buckets int) int { return min(inHand/4, buckets-1) }

// output returns the score in centipawns for the side to move.
func (n *Network) output(own, other []int16, bucket int) int {
	w := &n.weights
	output := w.Output[bucket*2*w.Width:][:2*w.Width]
	sum := dot(own, output[:w.Width]) + dot(other, output[w.Width:])
	return int((sum/QuantA + int64(w.OutputBias[bucket])) * scale / (QuantA * QuantB))
}

// Evaluate returns the score of a position in centipawns for the side to move, computed
// from scratch. A search uses an [Evaluator].
func (n *Network) Evaluate(p *rules.Position) int {
	e := NewEvaluator(n, 0)
	e.Reset(p)
	return e.Evaluate(0, p)
}
