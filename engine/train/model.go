package train

import "github.com/zhbot/zhbot/engine/nnue"

// model is the weights of a network with what is derived from them before each step.
type model struct {
	*parameters
	first *quantized

	dense, denseAttacks []float32 // common plus own, by bucket
}

func newModel(p *parameters) *model {
	return &model{p, newQuantized(p.width), make([]float32, len(p.own)), make([]float32, len(p.ownAttacks))}
}

// prepare derives a share of what is derived from the weights.
func (m *model) prepare(share, shares int) {
	m.first.setWeights(m.parameters, nnue.Inputs*share/shares, nnue.Inputs*(share+1)/shares)
	if share == 0 {
		quantize(m.first.bias, m.inputBias)
	}
	addCommon(m.dense, m.common, m.own, share, shares)
	addCommon(m.denseAttacks, m.commonAttacks, m.ownAttacks, share, shares)
}

// addCommon sets a share of each bucket's weights to its own plus the common ones.
func addCommon(sums, common, own []float32, share, shares int) {
	for i := len(common) * share / shares; i < len(common)*(share+1)/shares; i++ {
		for j := i; j < len(own); j += len(common) {
			sums[j] = common[i] + own[j]
		}
	}
}
