package train

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/zhbot/zhbot/engine/nnue"
)

// checkpoint is all that a run needs to go on after an epoch.
type checkpoint struct {
	Inputs, Width, Buckets int
	Epochs, Samples        int
	Seed                   uint64
	Objective              Objective
	Weights, M, V          []float32
	Step                   int
	History                []EpochLoss
}

// save replaces the checkpoint file in one step.
func (r *Run) save() error {
	if r.opts.Checkpoint == "" {
		return nil
	}
	next := r.opts.Checkpoint + ".new"
	f, err := os.Create(next)
	if err != nil {
		return fmt.Errorf("save checkpoint: %w", err)
	}
	defer func() { _ = os.Remove(next) }() // gone already if all went well
	err = gob.NewEncoder(f).Encode(checkpoint{
		nnue.Inputs, r.opts.Width, r.opts.Buckets, r.opts.Epochs, r.train.Len(), r.opts.Seed, r.train.objective,
		r.weights.all, r.optimizer.m, r.optimizer.v, r.optimizer.step, r.history,
	})
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("save checkpoint: %w", err)
	}
	if err := os.Rename(next, r.opts.Checkpoint); err != nil {
		return fmt.Errorf("save checkpoint: %w", err)
	}
	return nil
}

// restore takes up the checkpoint, if there is one.
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
	switch n := r.weights.size(); {
	case c.Inputs != nnue.Inputs || c.Width != r.opts.Width || c.Buckets != r.opts.Buckets,
		len(c.Weights) != n || len(c.M) != n || len(c.V) != n:
		return fmt.Errorf("resume training from %s: it holds a network %d -> %dx2 -> %d, not the one asked for; give its shape or remove the file",
			r.opts.Checkpoint, c.Inputs, c.Width, c.Buckets)
	case c.Seed != r.opts.Seed || c.Samples != r.train.Len() || c.Epochs != r.opts.Epochs:
		return fmt.Errorf("resume training from %s: it belongs to a run of %d epochs over %d positions with seed %d; give the same or remove the file",
			r.opts.Checkpoint, c.Epochs, c.Samples, c.Seed)
	}
	if goal := r.train.objective; c.Objective != goal {
		return fmt.Errorf("resume training from %s: it learned with result weight %g, fade %g, score scale %g, equalized scores %v; give the same or remove the file",
			r.opts.Checkpoint, c.Objective.ResultWeight, c.Objective.Fade, c.Objective.ScoreScale, c.Objective.Equalize)
	}
	copy(r.weights.all, c.Weights)
	copy(r.optimizer.m, c.M)
	copy(r.optimizer.v, c.V)
	r.optimizer.step, r.history = c.Step, c.History
	return nil
}

// summary says in one line of text what the network was made from.
func (r *Run) summary() string {
	last, goal := r.history[len(r.history)-1], r.train.objective
	return fmt.Sprintf("%s; %d training and %d validation positions, %d epochs of batches of %d, seed %d, %d workers, rate %g, decay %g, result weight %g, fade %g, score scale %g; loss %.6f, validation %.6f",
		r.opts.Origin, r.train.Len(), r.validation.Len(), r.opts.Epochs, r.opts.Batch, r.opts.Seed, r.opts.Workers,
		r.opts.Rate, r.opts.Decay, goal.ResultWeight, goal.Fade, goal.ScoreScale, last.Train, last.Validation)
}
