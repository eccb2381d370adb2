package nnue

import (
	"testing"

	"github.com/zhbot/zhbot/rules"
)

// silence makes a neuron of the first layer never exceed its bias.
func silence(w *Weights, neuron int, bias int16) {
	w.InputBias[neuron] = bias
	for row := range Inputs {
		w.Input[row*w.Width+neuron] = min(w.Input[row*w.Width+neuron], 0)
	}
}

// A network without its dead pairs is narrower and gives every position the same score.
func TestWeights_Pruned(t *testing.T) {
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
	whole, err := New(w)
	if err != nil {
		t.Fatal(err)
	}
	pruned, err := New(whole.Weights().Pruned())
	if err != nil {
		t.Fatal(err)
	}
	if p := pruned.Weights(); w.LivePairs() != 33 || p.LivePairs() != 33 || p.Width != 128 || p.Summary != w.Summary {
		t.Errorf("%d live pairs, pruned %d, width %d", w.LivePairs(), p.LivePairs(), p.Width)
	}
	playRandomGames(t, 10, 100, func(p *rules.Position, _ rules.Move) {
		if got, want := pruned.Evaluate(p), whole.Evaluate(p); got != want {
			t.Fatalf("%s: %d, want %d", p.FEN(), got, want)
		}
	})
	if again := pruned.Weights().Pruned(); again.Width != 128 {
		t.Errorf("pruned twice, its width is %d", again.Width)
	}
}

// No embedded network carries pairs that could be pruned.
func TestEmbedded_IsPruned(t *testing.T) {
	if w := Default().Weights(); w.Pruned().Width != w.Width {
		t.Errorf("%d of %d pairs are alive", w.LivePairs(), w.Width/2)
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
