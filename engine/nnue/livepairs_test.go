package nnue

import "testing"

// silence makes a neuron of the first layer never exceed its bias.
func silence(w *Weights, neuron int, bias int16) {
	w.InputBias[neuron] = bias
	for row := range Inputs {
		w.Input[row*w.Width+neuron] = min(w.Input[row*w.Width+neuron], 0)
	}
}

func TestWeights_LivePairs(t *testing.T) {
	w := *randomNetwork(t, 256, 8).Weights()
	for pair := range 128 {
		switch pair % 4 {
		case 1:
			silence(&w, pair, 0)
		case 2:
			silence(&w, 128+pair, -7)
		case 3:
			silence(&w, pair, 15) // at most 15 · 15, which rounds to 0
			silence(&w, 128+pair, 15)
		}
	}
	silence(&w, 3, 16) // 16 · 16 does not
	silence(&w, 128+3, 16)
	if live := w.LivePairs(); live != 33 {
		t.Errorf("%d live pairs", live)
	}
}

// The embedded network carries no dead pairs.
func TestEmbedded_IsAlive(t *testing.T) {
	if w := Default().Weights(); w.LivePairs() != w.Width/2 {
		t.Errorf("%d of %d pairs are live", w.LivePairs(), w.Width/2)
	}
}

func TestWeights_Stats(t *testing.T) {
	w := makeWeights(64, 1)
	w.Input[2*64+5], w.Input[2*64+6], w.Input[4*64] = -3, 7, 1
	s := w.Stats()[0]
	if want := (PartStats{"first layer", Inputs * 64, Inputs*64 - 3, -3, 7}); s != want || w.DeadInputs() != Inputs-2 {
		t.Errorf("%+v with %d dead inputs, want %+v", s, w.DeadInputs(), want)
	}
}
