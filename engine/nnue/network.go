package nnue

import (
	"fmt"

	"github.com/zhbot/zhbot/rules"
)

const (
	// QuantA is 1.0 in units of the first layer.
	QuantA = 255
	// WeightLimit is the maximum weight of the first layer, in its unit: the bias and the
	// features of 32 pieces, 30 of them promoted, then fit int16.
	WeightLimit = 505.0 / QuantA

	scale = 400 // centipawns in one unit of output
)

// Architecture is the structure of a network.
type Architecture int

// The architectures, with their numbers in network files.
const (
	// SCReLU is one output neuron, or one for each bucket, that reads the squared clipped
	// ReLU of the first layer.
	SCReLU Architecture = iota + 1
	// LayerStacks is a mirrored first layer whose halves are multiplied in pairs, and
	// for each bucket a stack of small dense layers.
	LayerStacks
)

// String returns the name of the architecture, as [ParseArchitecture] reads it.
func (a Architecture) String() string {
	switch a {
	case SCReLU:
		return "screlu"
	case LayerStacks:
		return "layer-stacks"
	}
	return fmt.Sprintf("architecture %d", int(a))
}

// ParseArchitecture returns an architecture by name.
func ParseArchitecture(name string) (Architecture, error) {
	for _, a := range []Architecture{SCReLU, LayerStacks} {
		if name == a.String() {
			return a, nil
		}
	}
	return 0, fmt.Errorf("unknown architecture %q: want %s or %s", name, SCReLU, LayerStacks)
}

// Mirrors reports whether a perspective with its own king on files e to h has its files
// mirrored.
func (a Architecture) Mirrors() bool { return a == LayerStacks }

// Network is a trained network. It is immutable, and safe for concurrent use.
type Network struct {
	weights Weights
	head    head
	hash    string
}

// newNetwork returns a network with weights whose shape and range are valid.
func newNetwork(w Weights, hash string) *Network {
	n := &Network{weights: w, hash: hash}
	switch w.Architecture {
	case SCReLU:
		n.head = (*screluHead)(&n.weights)
	case LayerStacks:
		n.head = newStackHead(&n.weights)
	}
	return n
}

// head is what an architecture has after the first layer.
type head interface {
	// output returns the score in centipawns for the side to move, from the first layer of
	// its perspective and of its opponent's.
	output(own, other []int16, bucket int, s *scratch) int
}

// scratch is memory for the values between the layers of a head.
type scratch struct {
	products [maxWidth]uint8
	sums     [DenseNeurons]int32
}

// Summary returns the trainer's description of the network.
func (n *Network) Summary() string { return n.weights.Summary }

// Weights returns the weights of the network. They must not be changed.
func (n *Network) Weights() *Weights { return &n.weights }

// Hash returns the first 12 hex digits of the SHA-256 of the file: header, summary and
// weights.
func (n *Network) Hash() string { return n.hash }

// String returns the name and the shape of the network, such as "zh-64b581950936 (956 ->
// 256x2 -> 1)".
func (n *Network) String() string {
	w, output := &n.weights, ""
	if w.Architecture == LayerStacks {
		output = fmt.Sprintf("%d -> %d -> 1, times ", DenseNeurons, HiddenNeurons)
	}
	return fmt.Sprintf("zh-%s (%d -> %dx2 -> %s%d)", n.hash, Inputs, w.Width, output, w.Buckets)
}

// BucketOf returns the bucket for the number of pieces in both pockets, given the number
// of buckets: the more pieces, the higher. Of eight, each but the last two has 5 to 29 % of
// the quiet positions of self-play.
func BucketOf(inHand, buckets int) int { return min(inHand/2, buckets-1) }

// Evaluate returns the score of a position in centipawns for the side to move, computed
// from scratch. A search uses an [Evaluator].
func (n *Network) Evaluate(p *rules.Position) int {
	e := NewEvaluator(n, 0)
	e.Reset(p)
	return e.Evaluate(0, p)
}
