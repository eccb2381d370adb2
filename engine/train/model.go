package train

import "github.com/zhbot/zhbot/engine/nnue"

// model is the weights of a network with what is derived from them before each step.
type model struct {
	*parameters
	first *quantized
	dense []float32 // common plus own, by bucket
}

func newModel(p *parameters) *model {
	return &model{parameters: p, first: newQuantized(p.width), dense: make([]float32, len(p.own))}
}

// prepare derives a share of what is derived from the weights.
func (m *model) prepare(share, shares int) {
	m.first.setWeights(m.parameters, nnue.Inputs*share/shares, nnue.Inputs*(share+1)/shares)
	if share == 0 {
		quantize(m.first.bias, m.inputBias)
	}
	for i := len(m.common) * share / shares; i < len(m.common)*(share+1)/shares; i++ {
		for j := i; j < len(m.own); j += len(m.common) {
			m.dense[j] = m.common[i] + m.own[j]
		}
	}
}
