package nnue

import (
	"fmt"

	"github.com/zhbot/zhbot/rules"
)

const (
	// QuantA is 1.0 in units of the first layer.
	QuantA = 255
	// WeightLimit is the maximum weight of the first layer, in its unit, which fits int8.
	WeightLimit = 127.0 / QuantA

	// Scale is one unit of output in centipawns.
	Scale = 400
)

// Network is a trained network. It is immutable, and safe for concurrent use.
type Network struct {
	weights Weights
	stacks  *stackHead
	hash    string
}

// newNetwork returns a network with weights whose shape and range are valid.
func newNetwork(w Weights, hash string) *Network {
	return &Network{weights: w, stacks: newStackHead(&w), hash: hash}
}

// denseInputs is memory for the inputs of a dense layer: Width products, then the attack
// counts.
type denseInputs [maxWidth + AttackInputs]uint8

// Summary returns the trainer's description of the network.
func (n *Network) Summary() string { return n.weights.Summary }

// Weights returns the weights of the network. They must not be changed.
func (n *Network) Weights() *Weights { return &n.weights }

// Hash returns the first 12 hex digits of the SHA-256 of the file: header, summary and
// weights.
func (n *Network) Hash() string { return n.hash }

// Name returns the name of the network in records and tables, such as "zh-8a8b59b707c6".
func (n *Network) Name() string { return "zh-" + n.hash }

// String returns the name and the shape of the network, such as "zh-8a8b59b707c6 (6332 ->
// 320x2, 64 -> 16 -> 32 -> 1, times 8)".
func (n *Network) String() string {
	w := &n.weights
	return fmt.Sprintf("%s (%d -> %dx2, %d -> %d -> %d -> 1, times %d)",
		n.Name(), Inputs, w.Width, AttackInputs, DenseNeurons, HiddenNeurons, w.Buckets)
}

// BucketOf returns the bucket for the number of pieces in both pockets, given the number
// of buckets: the more pieces, the higher. Of eight, each but the last two has 5 to 29 % of
// the quiet positions of self-play.
func BucketOf(inHand, buckets int) int { return min(inHand/2, buckets-1) }

// Evaluate returns the score of a position in centipawns for the side to move, computed
// from scratch. A search uses an [Evaluator].
func (n *Network) Evaluate(p *rules.Position) int {
	e := NewEvaluator(n, 0)
	var attacks Attacks
	attacks.Find(p)
	return e.Evaluate(0, p, &attacks)
}
