package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/engine/train"
	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/internal/term"
)

// trainFlags are the train command's flags besides the trainer's options.
type trainFlags struct {
	train.Options
	train.Objective
	out  string
	from string
	test string
}

func newTrainCommand() *cobra.Command {
	f := trainFlags{Options: train.DefaultOptions(), Objective: train.DefaultObjective()}
	cmd := command("train [FILE...]", f.run)
	fl := cmd.Flags()
	fl.StringVar(&f.out, "out", "network.zhnn", "network file to write")
	fl.IntVar(&f.Width, "width", f.Width, "neurons of one perspective, a multiple of 64, at least 128")
	fl.IntVar(&f.Buckets, "buckets", f.Buckets, "layer stacks, chosen by the pieces in hand, up to 16")
	fl.StringVar(&f.from, "from", "", "network of the same shape to start from, instead of random weights")
	fl.StringVar(&f.test, "test", "",
		"games file to compare the network with, or that of --from if no games are given to learn from")
	fl.IntVar(&f.Epochs, "epochs", f.Epochs, "passes over the data")
	fl.IntVar(&f.Batch, "batch", f.Batch, "positions in a step")
	fl.IntVar(&f.Workers, "workers", f.Workers, "goroutines; the result depends on their number")
	fl.Uint64Var(&f.Seed, "seed", f.Seed, "seed of the weights and of the order of positions")
	fl.Float64Var(&f.Rate, "rate", f.Rate, "learning rate")
	shareFlag(fl, &f.Fall, "fall", "share of the steps, the last ones, in which the rate falls to 1 %, 0 to 1")
	fl.Float64Var(&f.StackRate, "stack-rate", f.StackRate,
		"learning rate of the layers after the first, as a multiple of --rate: "+
			"the first learns positions by heart sooner")
	fl.Float64Var(&f.Decay, "decay", f.Decay, "weight decay")
	shareFlag(fl, &f.ResultWeight, "result-weight",
		"weight of the rest of the game in the target, 0 to 1; the score has the remaining weight")
	shareFlag(fl, &f.Fade, "fade",
		"1 − λ of the TD(λ) target: the share of the later target that each ply's score replaces, 0 to 1")
	fl.Float64Var(&f.ScoreScale, "score-scale", f.ScoreScale,
		"score in centipawns that stands for a 73 % expected score")
	return cmd
}

func (f *trainFlags) run(cmd *cobra.Command, files []string) (err error) {
	if f.ScoreScale <= 0 || f.Rate <= 0 || f.StackRate <= 0 {
		return usagef("--score-scale, --rate, --stack-rate: want more than 0")
	}
	if len(files) == 0 && (f.from == "" || f.test == "") {
		return usagef("train takes FILE..., or --test FILE with --from FILE")
	}
	if f.from != "" {
		if err := f.startFrom(cmd); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Dir(f.out)); err != nil {
		return fmt.Errorf("--out: %w: create the directory first", err)
	}
	if err := f.checkOutputs(files); err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	storage := train.Storage{Seed: f.Seed, Dir: filepath.Dir(f.out)}
	if len(files) == 0 {
		return f.printTest(cmd, f.From, storage)
	}
	samples, validation, stats, err := train.LoadSamples(cmd.Context(), files, f.Objective, storage)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, samples.Close(), validation.Close()) }()
	printData(out, stats, samples, validation)
	f.Origin = fmt.Sprintf("%d self-play games, %d plies", stats.Games, stats.Plies)
	if f.From != nil {
		f.Origin += ", from " + f.From.Name()
	}
	run, err := train.NewRun(f.Options, samples, validation)
	if err != nil {
		return err
	}
	if n := len(run.History); n > 0 {
		fmt.Fprintf(out, "continuing after epoch %d of %s\n", n, f.Checkpoint)
	}
	bar := term.NewProgress(cmd.ErrOrStderr(), f.Epochs*100, "%")
	bar.Resume(100 * len(run.History))
	network, err := run.Train(cmd.Context(), func(p train.Progress) {
		bar.SetStatus(fmt.Sprintf("epoch %d, step %d of %d", p.Epoch, p.Batch, p.Batches))
		bar.Set((p.Epoch-1)*100 + 100*p.Batch/p.Batches)
		if p.Batch == p.Batches {
			bar.Clear()
			fmt.Fprintf(out, "epoch %d/%d  loss %.6f  validation %.6f (in hand %s)  live pairs %d of %d\n",
				p.Epoch, f.Epochs, p.Train, p.Validation, p.Phases, p.LivePairs, f.Width/2)
		}
	})
	bar.Finish()
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w; the same command continues after the last complete epoch", errInterrupted)
	}
	if err != nil {
		return err
	}
	final := run.Final
	fmt.Fprintf(out, "quantised: validation %.6f (in hand %s)\n", final.Validation, final.Phases)
	if err := train.SaveNetwork(network, f.out); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s written to %s\n", network, f.out)
	return f.printTest(cmd, network, storage)
}

// checkOutputs names the files that are written, and refuses to overwrite what is read, but for
// --from by --out.
func (f *trainFlags) checkOutputs(files []string) error {
	base := strings.TrimSuffix(f.out, filepath.Ext(f.out))
	f.Checkpoint, f.Constant = base+".checkpoint", base+".constant.zhnn"
	for _, in := range append(slices.Clone(files), f.test, f.from) {
		for _, out := range []string{f.out, f.Checkpoint, f.Constant} {
			if file.Same(in, out) && (in != f.from || out != f.out) {
				return usagef("--out %s: it would overwrite %s, which is read: name another", f.out, in)
			}
		}
	}
	return nil
}

// printTest prints the errors of a network in the games of --test, if given.
func (f *trainFlags) printTest(cmd *cobra.Command, n *nnue.Network, st train.Storage) error {
	if f.test == "" {
		return nil
	}
	e, err := train.Test(cmd.Context(), n, f.test, st)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: in %d positions of %s, error against scores %.6f (in hand %s), "+
		"against results %.6f (in hand %s)\n", n.Name(), e.Positions, f.test,
		e.Scores.Validation, e.Scores.Phases, e.Results.Validation, e.Results.Phases)
	return err
}

// startFrom loads the network of --from, whose shape is that of the new one where flags do
// not give another.
func (f *trainFlags) startFrom(cmd *cobra.Command) (err error) {
	if f.From, err = nnue.Load(f.from); err != nil {
		return err
	}
	given, w := cmd.Flags().Changed, f.From.Weights()
	if !given("width") {
		f.Width = w.Width
	}
	if !given("buckets") {
		f.Buckets = w.Buckets
	}
	return nil
}

// printData prints what was read.
func printData(out io.Writer, c train.Contents, samples, validation *train.Samples) {
	for _, f := range c.Files {
		fmt.Fprintf(out, "%s: %d games, %d plies", f.Path, f.Games, f.Plies)
		if f.Scale > 0 {
			fmt.Fprintf(out, "; %.0f centipawns win 73 %% of them, scores × %.3f", f.Scale, f.Factor)
		}
		if f.Truncated {
			fmt.Fprint(out, "; the last block is truncated and was left out")
		}
		fmt.Fprintln(out)
	}
	if c.Duplicates > 0 {
		fmt.Fprintf(out, "%d games repeat another one and are left out\n", c.Duplicates)
	}
	fmt.Fprintf(out, "%d games, %d plies: %d positions for training, %d for validation\n",
		c.Games, c.Plies, samples.Len(), validation.Len())
}
