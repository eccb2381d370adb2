package train

import (
	"context"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/engine/nnue"
)

// Pairs that are zero in all positions are counted after each epoch; too many are an error.
func TestTrain_DeadPairs(t *testing.T) {
	train, validation := smallSamples(t, 30)
	o := smallOptions()
	o.Buckets, o.Epochs = 2, 1
	for share, want := range map[float64]string{0.05: "5 of 64 pairs are dead, more than 5 %", 0.1: ""} {
		o.MaxDead = share
		run := newRun(t, o, train, validation)
		if live, err := run.livePairs(); live != 64 || err != nil {
			t.Errorf("%d of 64 pairs are live at first, %v", live, err)
		}
		for pair := range 5 {
			run.weights.inputBias[pair*13] = -nnue.WeightLimit // which factor does not matter
		}
		run.prepare()
		_, err := run.Train(context.Background(), nil)
		switch {
		case want == "" && (err != nil || run.History[0].LivePairs != 59):
			t.Errorf("%+v, %v; want 59 live pairs", run.History, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// The rate rises, is constant, and falls to 1 %.
func TestRateAt(t *testing.T) {
	const steps = 1000
	for step, want := range map[int]float64{0: 0.05, 9: 0.5, 19: 1, 500: 1, 850: 1, 925: 0.505, 999: 0.0166} {
		if got := rateAt(1, step, steps); got < want-1e-3 || got > want+1e-3 {
			t.Errorf("rate %.4f at step %d, want %.4f", got, step, want)
		}
	}
}
