package train

import (
	"math"
	"math/rand/v2"

	"github.com/zhbot/zhbot/engine/nnue"
)

// shape is the size of a network.
type shape struct{ width, buckets int }

// parameters are the weights of a network, or their derivatives, in one vector on which
// the optimiser works. All layers are by input, then by neuron.
type parameters struct {
	shape
	all []float32

	// Of the first layer. input has a row for each feature, and inputCommon what
	// all states of a piece on a square share, so that each learns from the others.
	input, inputBias, inputCommon []float32

	// By bucket except for the common ones. The weights of a dense layer are common plus own:
	// what all stacks share is learned from all positions. Those of attack counts are for a
	// count of 1.
	common, own, commonAttacks, ownAttacks, denseBias, hidden, hiddenBias, output, outBias []float32
}

// part is a part of the vector.
type part struct {
	slice     *[]float32
	size      int
	limit     float32 // maximum absolute value
	perNeuron int     // weights of a neuron of the first layer, where the part has rows of these neurons
}

const noLimit = math.MaxFloat32

// The rows of pieces come first in the first layer; the pieces of a type and colour have 64
// for each state.
const (
	commonRows = 2 * 6 * 64
	pieceRows  = commonRows * nnue.PieceStates
)

// commonRow returns the row of inputCommon for a row of a piece.
func commonRow(row int) int { return row/(64*nnue.PieceStates)*64 + row%64 }

// row returns the weights of a feature, for which sum is memory.
func (p *parameters) row(f int, sum []float32) []float32 {
	own := p.input[f*p.width:][:p.width]
	if f >= pieceRows {
		return own
	}
	common := p.inputCommon[commonRow(f)*p.width:][:p.width]
	for i, w := range own {
		sum[i] = min(max(w+common[i], -nnue.WeightLimit), nnue.WeightLimit)
	}
	return sum
}

// gatherCommon adds the derivatives of the rows of pieces to those of what they share.
func (p *parameters) gatherCommon() {
	for row := range pieceRows {
		common := p.inputCommon[commonRow(row)*p.width:][:p.width]
		for i, d := range p.input[row*p.width:][:p.width] {
			common[i] += d
		}
	}
}

// parts returns the parts in the order of the vector.
func (p *parameters) parts() []part {
	w, n := p.width, p.buckets
	return []part{
		{&p.input, nnue.Inputs * w, nnue.WeightLimit, 1}, {&p.inputBias, w, nnue.WeightLimit, 1},
		{&p.inputCommon, commonRows * w, nnue.WeightLimit, 1},
		{&p.common, w * nnue.DenseNeurons, noLimit, nnue.DenseNeurons},
		{&p.own, w * nnue.DenseNeurons * n, noLimit, nnue.DenseNeurons},
		{&p.commonAttacks, nnue.AttackInputs * nnue.DenseNeurons, noLimit, 0},
		{&p.ownAttacks, nnue.AttackInputs * nnue.DenseNeurons * n, noLimit, 0},
		{&p.denseBias, nnue.DenseNeurons * n, noLimit, 0},
		{&p.hidden, nnue.HiddenInputs * nnue.HiddenNeurons * n, nnue.HiddenLimit, 0},
		{&p.hiddenBias, nnue.HiddenNeurons * n, noLimit, 0},
		{&p.output, nnue.HiddenNeurons * n, noLimit, 0}, {&p.outBias, n, noLimit, 0},
	}
}

func newParameters(s shape) *parameters {
	size := 0
	for _, part := range (&parameters{shape: s}).parts() {
		size += part.size
	}
	return divide(s, make([]float32, size))
}

// divide returns the parts of a vector.
func divide(s shape, vector []float32) *parameters {
	p := &parameters{shape: s, all: vector}
	for _, part := range p.parts() {
		*part.slice, vector = vector[:part.size:part.size], vector[part.size:]
	}
	return p
}

// ofStack returns the part of a layer that belongs to a stack.
func ofStack[T any](layer []T, bucket, buckets int) []T {
	n := len(layer) / buckets
	return layer[bucket*n:][:n]
}

// initialize draws the weights. Those of the first layer are small: features that are
// seldom active keep theirs for long, which is only noise. (With three times as much the
// validation loss was 4 to 7 % higher after two epochs of 6 million positions.) The biases
// of the pairs keep most of them between the clips. All stacks start equal.
func (p *parameters) initialize(rng *rand.Rand) {
	symmetric := func(part []float32, bound float64) { fill(rng, part, -bound, bound) }
	symmetric(p.inputCommon, inputBound)
	symmetric(p.input[pieceRows*p.width:], inputBound)
	fill(rng, p.inputBias, lowBias, highBias)
	symmetric(p.common, 4/math.Sqrt(float64(p.width)))
	for _, layer := range []struct {
		part      []float32
		low, high float64
	}{
		{p.denseBias, 0, 0.4}, {p.hidden, -0.35, 0.35}, {p.hiddenBias, 0, 0.4}, {p.output, -0.2, 0.2},
	} {
		first := ofStack(layer.part, 0, p.buckets)
		fill(rng, first, layer.low, layer.high)
		for bucket := 1; bucket < p.buckets; bucket++ {
			copy(ofStack(layer.part, bucket, p.buckets), first)
		}
	}
}

// The range of the random weights and biases of the first layer.
const inputBound, lowBias, highBias = 0.05, 0.1, 0.4

func fill(rng *rand.Rand, weights []float32, low, high float64) {
	for i := range weights {
		weights[i] = float32(low + rng.Float64()*(high-low))
	}
}
