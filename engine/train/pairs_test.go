package train

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/engine/nnue"
)

// Pairs that are zero in all positions are counted after each epoch.
func TestTrain_DeadPairs(t *testing.T) {
	train, validation := smallSamples(t, 30)
	o := smallOptions()
	o.Buckets, o.Epochs = 2, 1
	run := newRun(t, o, train, validation)
	if live, err := run.livePairs(); live != 64 || err != nil {
		t.Errorf("%d of 64 pairs are live at first, %v", live, err)
	}
	_, err := run.Train(context.Background(), func(p Progress) {
		if p.Batch != p.Batches-1 { // later they are not drawn anew
			return
		}
		for pair := range 5 {
			run.weights.eachOf(pair*13, suppress) // which factor does not matter
		}
		run.prepare()
	})
	if err != nil || run.History[0].LivePairs != 59 {
		t.Errorf("%+v, %v; want 59 live pairs", run.History, err)
	}
}

// suppress makes weights of a neuron so low that it is zero in every position.
func suppress(weights []float32) {
	for i := range weights {
		weights[i] = -nnue.WeightLimit
	}
}

// The rate rises, is constant, and falls to 1 %.
func TestRateAt(t *testing.T) {
	const steps = 1000
	for fall, rates := range map[float64]map[int]float64{
		0.15: {0: 0.05, 9: 0.5, 19: 1, 500: 1, 850: 1, 925: 0.505, 999: 0.0166},
		1:    {0: 0.05, 500: 0.505, 999: 0.011},
		0:    {0: 0.05, 19: 1, 999: 1},
	} {
		o := Options{Rate: 1, Fall: fall}
		for step, want := range rates {
			if got := o.rateAt(step, steps); got < want-1e-3 || got > want+1e-3 {
				t.Errorf("fall %.2f: rate %.4f at step %d, want %.4f", fall, got, step, want)
			}
		}
	}
}

// Dead pairs that are drawn anew are live, and change nothing until they have learned.
func TestRun_RedrawDead(t *testing.T) {
	train, validation := smallSamples(t, 30)
	o := smallOptions()
	o.Buckets = 2
	run := newRun(t, o, train, validation)
	for i := range run.optimizer.m {
		run.optimizer.m[i], run.optimizer.v[i] = 1, 1
	}
	for _, pair := range []int{3, 17} {
		run.weights.eachOf(pair, suppress)
	}
	run.prepare()
	before, _, err := run.validate()
	if err != nil {
		t.Fatal(err)
	}
	sh := firstShard(t, train)
	if dead := run.deadPairs(sh); !slices.Equal(dead, []int{3, 17}) {
		t.Fatalf("pairs %v are dead", dead)
	}
	run.redrawDead(sh)
	if dead := run.deadPairs(sh); len(dead) > 0 {
		t.Errorf("pairs %v are still dead", dead)
	}
	if after, _, err := run.validate(); err != nil || after != before {
		t.Errorf("loss %.8f, before %.8f, %v", after, before, err)
	}
	cleared := 0
	for i, m := range run.optimizer.m {
		if v := run.optimizer.v[i]; v != m {
			t.Fatalf("moments %v and %v", m, v)
		}
		cleared += int(1 - m)
	}
	if want := 4 * (nnue.Inputs + 1 + commonRows + 3*nnue.DenseNeurons); cleared != want {
		t.Errorf("%d moments are cleared, want %d", cleared, want)
	}
}

// A run of several epochs leaves the network as it is before the rate falls.
func TestTrain_Constant(t *testing.T) {
	train, validation := smallSamples(t, 60)
	o := smallOptions()
	o.Constant = filepath.Join(t.TempDir(), "constant.zhnn")
	final := trainToEnd(t, newRun(t, o, train, validation))
	constant, err := nnue.Load(o.Constant)
	if err != nil {
		t.Fatal(err)
	}
	if constant.Hash() == final.Hash() || !strings.Contains(constant.Summary(), "constant rate 0.005") {
		t.Errorf("%s, summary %q; in the end %s", constant, constant.Summary(), final)
	}
	o.From, o.Constant = constant, ""
	loss, _, err := newRun(t, o, train, validation).validate()
	if first := newRun(t, smallOptions(), train, validation); err != nil {
		t.Fatal(err)
	} else if random, _, err := first.validate(); err != nil || loss > 0.7*random {
		t.Errorf("it begins with a loss of %.6f, random weights with %.6f, %v", loss, random, err)
	}
}
