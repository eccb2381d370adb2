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
	Settings      settings
	Weights, M, V []float32
	Step          int
	History       []EpochLoss
}

// settings are what the network depends on: a run is resumed with the same.
type settings struct {
	Inputs       int     `json:"inputs"`
	Width        int     `json:"width"`
	Buckets      int     `json:"buckets"`
	From         string  `json:"from"` // hash of the network, "none" without one
	Samples      int     `json:"positions"`
	Epochs       int     `json:"epochs"`
	Batch        int     `json:"batch"`
	Workers      int     `json:"workers"`
	Seed         uint64  `json:"seed"`
	Rate         float64 `json:"rate"`
	Fall         float64 `json:"fall"`
	StackRate    float64 `json:"stack rate"`
	Decay        float64 `json:"decay"`
	ResultWeight float64 `json:"result weight"`
	Fade         float64 `json:"fade"`
	ScoreScale   float64 `json:"score scale"`
}

func (r *Run) settings() settings {
	o, goal, from := r.opts, r.train.objective, "none"
	if o.From != nil {
		from = o.From.Hash()
	}
	return settings{
		nnue.Inputs, o.Width, o.Buckets, from, r.train.Len(), o.Epochs, o.Batch, o.Workers, o.Seed,
		o.Rate, o.Fall, o.StackRate, o.Decay, goal.ResultWeight, goal.Fade, goal.ScoreScale,
	}
}

// save replaces the checkpoint file atomically.
func (r *Run) save() error {
	if r.opts.Checkpoint == "" {
		return nil
	}
	var encoded bytes.Buffer
	err := gob.NewEncoder(&encoded).Encode(checkpoint{r.settings(), r.weights.all, r.optimizer.m, r.optimizer.v,
		r.optimizer.step, r.History})
	if err == nil {
		err = file.Replace(r.opts.Checkpoint, encoded.Bytes(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("save checkpoint: %w", err)
	}
	return nil
}

// saveConstant writes the network as it is before the rate falls, from which training can
// go on with other data.
func (r *Run) saveConstant() error {
	if r.opts.Constant == "" {
		return nil
	}
	n, err := r.weights.export(fmt.Sprintf("%s; constant rate %g", r.opts.Origin, r.opts.Rate))
	if err == nil {
		err = SaveNetwork(n, r.opts.Constant)
	}
	return err
}

// SaveNetwork writes a network to a file, which it replaces atomically.
func SaveNetwork(n *nnue.Network, path string) error {
	if err := file.Replace(path, n.Encode(), 0o644); err != nil {
		return fmt.Errorf("save network: %w", err)
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
	if d := file.Differences(c.Settings, r.settings()); len(d) > 0 {
		return fmt.Errorf("resume training from %s: its %s was %v, now %v; use the same or remove the file",
			r.opts.Checkpoint, d[0].Name, d[0].First, d[0].Second)
	}
	if n := len(r.weights.all); len(c.Weights) != n || len(c.M) != n || len(c.V) != n {
		return fmt.Errorf("resume training from %s: it has %d weights, want %d; remove the file",
			r.opts.Checkpoint, len(c.Weights), n)
	}
	copy(r.weights.all, c.Weights)
	copy(r.optimizer.m, c.M)
	copy(r.optimizer.v, c.V)
	r.optimizer.step, r.History = c.Step, c.History
	return nil
}

// summary describes the training in one line, for the network file.
func (r *Run) summary() string {
	last := r.History[len(r.History)-1]
	return fmt.Sprintf("%s; %+v, %d validation positions; loss %.6f, validation %.6f",
		r.opts.Origin, r.settings(), r.validation.Len(), last.Train, last.Validation)
}
