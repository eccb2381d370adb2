package train

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/internal/file"
)

// checkpoint is the state of a run after an epoch.
type checkpoint struct {
	Architecture           nnue.Architecture
	Inputs, Width, Buckets int
	Epochs, Samples        int
	Seed                   uint64
	Objective              Objective
	Weights, M, V          []float32
	Step                   int
	History                []EpochLoss
	Learning               checkpointLearning
}

// checkpointLearning has the other [Options] on which the network depends. It is zero in an
// older file.
type checkpointLearning struct {
	Batch   int     `json:"batch"`
	Workers int     `json:"workers"`
	Rate    float64 `json:"rate"`
	Decay   float64 `json:"decay"`
	From    string  `json:"from"` // hash of the network, "none" without one
}

func newCheckpointLearning(o Options) checkpointLearning {
	from := "none"
	if o.From != nil {
		from = o.From.Hash()
	}
	return checkpointLearning{o.Batch, o.Workers, o.Rate, o.Decay, from}
}

// save replaces the checkpoint file atomically.
func (r *Run) save() error {
	if r.opts.Checkpoint == "" {
		return nil
	}
	var encoded bytes.Buffer
	err := gob.NewEncoder(&encoded).Encode(checkpoint{
		r.opts.Architecture, nnue.Inputs, r.opts.Width, r.opts.Buckets, r.opts.Epochs, r.train.Len(), r.opts.Seed, r.train.objective,
		r.weights.all, r.optimizer.m, r.optimizer.v, r.optimizer.step, r.history,
		newCheckpointLearning(r.opts),
	})
	if err == nil {
		err = file.Replace(r.opts.Checkpoint, encoded.Bytes(), 0o644, (*os.File).Sync)
	}
	if err != nil {
		return fmt.Errorf("save checkpoint: %w", err)
	}
	return nil
}

// restore resumes from the checkpoint, if there is one.
func (r *Run) restore() error {
	if r.opts.Checkpoint == "" {
		return nil
	}
	f, err := os.Open(r.opts.Checkpoint)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("resume training: %w", err)
	}
	defer f.Close()
	var c checkpoint
	if err := gob.NewDecoder(f).Decode(&c); err != nil {
		return fmt.Errorf("resume training from %s: %w", r.opts.Checkpoint, err)
	}
	switch n := len(r.weights.all); {
	case c.Inputs != nnue.Inputs || (shape{c.Architecture, c.Width, c.Buckets}) != r.weights.shape,
		len(c.Weights) != n || len(c.M) != n || len(c.V) != n:
		return fmt.Errorf("resume training from %s: its network is %s, %d inputs, width %d, %d buckets; use the same shape or remove the file",
			r.opts.Checkpoint, c.Architecture, c.Inputs, c.Width, c.Buckets)
	case c.Seed != r.opts.Seed || c.Samples != r.train.Len() || c.Epochs != r.opts.Epochs:
		return fmt.Errorf("resume training from %s: it is of a run of %d epochs over %d positions with seed %d; use the same or remove the file",
			r.opts.Checkpoint, c.Epochs, c.Samples, c.Seed)
	}
	if c.Objective != r.train.objective {
		return fmt.Errorf("resume training from %s: it was trained with result weight %g, fade %g, score scale %g, equalized scores %v; use the same or remove the file",
			r.opts.Checkpoint, c.Objective.ResultWeight, c.Objective.Fade, c.Objective.ScoreScale, c.Objective.Equalize)
	}
	if c.Learning != (checkpointLearning{}) {
		if d := file.Differences(c.Learning, newCheckpointLearning(r.opts)); len(d) > 0 {
			return fmt.Errorf("resume training from %s: its %s was %v, now %v; use the same or remove the file", r.opts.Checkpoint, d[0].Name, d[0].First, d[0].Second)
		}
	}
	copy(r.weights.all, c.Weights)
	copy(r.optimizer.m, c.M)
	copy(r.optimizer.v, c.V)
	r.optimizer.step, r.history = c.Step, c.History
	return nil
}

// summary describes the training in one line, for the network file.
func (r *Run) summary() string {
	last, goal := r.history[len(r.history)-1], r.train.objective
	return fmt.Sprintf("%s; %s; %d training and %d validation positions, %d epochs of batches of %d, seed %d, %d workers, rate %g, decay %g, result weight %g, fade %g, score scale %g; loss %.6f, validation %.6f",
		r.opts.Origin, r.opts.Architecture, r.train.Len(), r.validation.Len(), r.opts.Epochs, r.opts.Batch, r.opts.Seed, r.opts.Workers,
		r.opts.Rate, r.opts.Decay, goal.ResultWeight, goal.Fade, goal.ScoreScale, last.Train, last.Validation)
}
