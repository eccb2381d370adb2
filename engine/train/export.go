package train

import (
	"fmt"
	"math"

	"github.com/zhbot/zhbot/engine/nnue"
)

// export rounds the weights to the units of a network. The first layer is already trained
// in them.
func (p *parameters) export(summary string) (*nnue.Network, error) {
	w := nnue.Weights{
		Width: p.width, Buckets: p.buckets, Summary: summary,
		Input: make([]int8, len(p.input)), InputBias: make([]int16, len(p.inputBias)),
		Stacks: nnue.StackWeights{
			DenseBias: p.denseBias, Hidden: p.hidden, HiddenBias: p.hiddenBias, Output: p.output, OutputBias: p.outBias,
		},
	}
	sum, row := make([]float32, p.width), make([]int16, p.width)
	for f := range nnue.Inputs {
		quantize(row, p.row(f, sum))
		for i, weight := range row {
			w.Input[f*p.width+i] = int8(weight)
		}
	}
	quantize(w.InputBias, p.inputBias)
	for bucket := range p.buckets {
		p.exportDense(&w.Stacks, bucket)
	}
	n, err := nnue.New(w)
	if err != nil {
		return nil, fmt.Errorf("export network: %w", err)
	}
	return n, nil
}

// loadFirst sets weights of the first layer to those in units of the network.
func loadFirst[T int8 | int16](weights []float32, in []T) {
	for i, v := range in {
		weights[i] = float32(v) / nnue.QuantA
	}
}

// countsInFile is the weight in a file of an attack count whose weight is 1: there it is for
// an input of 127.
const countsInFile = 1 / (nnue.CountUnit * nnue.ProductUnit)

// exportDense appends the dense layer of a stack. The largest weight of a neuron becomes
// ±127.
func (p *parameters) exportDense(s *nnue.StackWeights, bucket int) {
	var weights []float64
	for i, w := range ofStack(p.own, bucket, p.buckets) {
		weights = append(weights, float64(p.common[i]+w))
	}
	for i, w := range ofStack(p.ownAttacks, bucket, p.buckets) {
		weights = append(weights, countsInFile*float64(p.commonAttacks[i]+w))
	}
	var units [nnue.DenseNeurons]float64
	for i, w := range weights {
		units[i%nnue.DenseNeurons] = max(units[i%nnue.DenseNeurons], math.Abs(w)/127, 1e-9)
	}
	for i, w := range weights {
		s.Dense = append(s.Dense, int8(math.Round(w/units[i%nnue.DenseNeurons])))
	}
	for _, unit := range units {
		s.DenseScale = append(s.DenseScale, float32(unit*nnue.ProductUnit))
	}
}

// start sets the weights to those of a network of the same shape.
func (p *parameters) start(n *nnue.Network) error {
	w := n.Weights()
	if (shape{w.Width, w.Buckets}) != p.shape {
		return fmt.Errorf("train from %s: its width is %d with %d stacks, not %d with %d",
			n, w.Width, w.Buckets, p.width, p.buckets)
	}
	copy(p.all, parametersOf(n).all)
	return nil
}

// parametersOf returns the weights of a network.
func parametersOf(n *nnue.Network) *parameters {
	w := n.Weights()
	p := newParameters(shape{w.Width, w.Buckets})
	loadFirst(p.input, w.Input)
	loadFirst(p.inputBias, w.InputBias)
	p.divideInput()
	s := &w.Stacks
	copy(p.denseBias, s.DenseBias)
	copy(p.hidden, s.Hidden)
	copy(p.hiddenBias, s.HiddenBias)
	copy(p.output, s.Output)
	copy(p.outBias, s.OutputBias)
	p.loadDense(s)
	return p
}

// loadDense divides the weights of the dense layers into the mean of all stacks and the
// rest.
func (p *parameters) loadDense(s *nnue.StackWeights) {
	for bucket := range p.buckets {
		own, attacks := ofStack(p.own, bucket, p.buckets), ofStack(p.ownAttacks, bucket, p.buckets)
		for i, v := range ofStack(s.Dense, bucket, p.buckets) {
			weight := float32(v) * s.DenseScale[bucket*nnue.DenseNeurons+i%nnue.DenseNeurons] / nnue.ProductUnit
			if i < len(own) {
				own[i] = weight
			} else {
				attacks[i-len(own)] = weight / countsInFile
			}
		}
	}
	divideCommon(p.common, p.own)
	divideCommon(p.commonAttacks, p.ownAttacks)
}

// divideInput subtracts from the rows of pieces the mean of all states, which they share.
func (p *parameters) divideInput() {
	for f := range pieceRows {
		for i, w := range p.input[f*p.width:][:p.width] {
			p.inputCommon[commonRow(f)*p.width+i] += w / nnue.PieceStates
		}
	}
	for f := range pieceRows {
		own := p.input[f*p.width:][:p.width]
		for i := range own {
			own[i] -= p.inputCommon[commonRow(f)*p.width+i]
		}
	}
}

// divideCommon subtracts from the weights of each bucket their mean, which becomes the
// common one.
func divideCommon(common, own []float32) {
	clear(common)
	for i, w := range own {
		common[i%len(common)] += w * float32(len(common)) / float32(len(own))
	}
	for i := range own {
		own[i] -= common[i%len(common)]
	}
}
