package train

import (
	"context"
	"errors"

	"github.com/zhbot/zhbot/engine/nnue"
)

// TestErrors are the mean squared errors of a network in the quiet positions of games that it
// has not learned from.
type TestErrors struct {
	Positions       int
	Scores, Results EpochLoss // only the losses of the validation
}

// Test compares what a network says of positions with their scores in a games file, and with the
// results of the games, in points. Scores are converted to points as the network's are.
func Test(ctx context.Context, n *nnue.Network, path string, st Storage) (e TestErrors, err error) {
	st.test = true
	w := newModel(parametersOf(n))
	r := Run{weights: w, workers: []*worker{newWorker(w)}}
	r.prepare()
	for weight, loss := range []*EpochLoss{&e.Scores, &e.Results} {
		o := Objective{ResultWeight: float64(weight), ScoreScale: nnue.Scale}
		learned, samples, _, err := LoadSamples(ctx, []string{path}, o, st)
		if err != nil {
			return e, err
		}
		e.Positions, r.validation = samples.Len(), samples
		loss.Validation, loss.Phases, err = r.validate()
		if err = errors.Join(err, learned.Close(), samples.Close()); err != nil {
			return e, err
		}
	}
	return e, nil
}
