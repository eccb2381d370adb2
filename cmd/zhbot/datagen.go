package main

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/engine/selfplay"
	"github.com/zhbot/zhbot/engine/train"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/internal/term"
	"github.com/zhbot/zhbot/rules"
)

func newDatagenCommand() *cobra.Command {
	o := selfplay.DefaultOptions()
	var resume bool
	var network string
	lines := book.Embedded
	cmd := command("datagen FILE", func(cmd *cobra.Command, args []string) error {
		var err error
		if o.LineOpenings > 0 {
			if o.Lines, err = book.Open(lines); err != nil {
				return err
			}
			o.Recipe.Lines = "book " + o.Lines.Hash()
		}
		if o.Evaluator, err = engine.OpenNetwork(network); err != nil {
			return err
		}
		o.Program, o.Network = app.VersionLine(), o.Evaluator.Name()
		if o.Games > 0 {
			if cmd.Flags().Changed("plies") {
				return usagef("--plies and --games: want one of them")
			}
			o.Plies = math.MaxInt
		}
		return generate(cmd, args[0], o, resume)
	})
	f := cmd.Flags()
	countFlag(f, &o.Plies, "plies", o.Plies, "searched plies to play")
	countFlag(f, &o.Games, "games", 0, "games to play, in all shards together, instead of --plies")
	shardFlag(f, &o.Shard, "play only this shard of the games, 0/8 to 7/8, for datagen merge; needs --games")
	countFlag(f, &o.Workers, "workers", o.Workers, "games at once, one search thread each")
	f.Uint64Var(&o.Nodes, "nodes", o.Nodes, "nodes per move")
	hashFlag(f, &o.HashMB, o.HashMB, "transposition table of each worker in MiB")
	f.Uint64Var(&o.Seed, "seed", o.Seed, "seed of the openings")
	shareFlag(f, &o.LineOpenings, "line-openings",
		"share of games whose openings are parts of the lines of --lines, 0 to 1")
	f.StringVar(&lines, "lines", lines, "book with the lines of --line-openings")
	networkFlag(f, &network, "network file that plays and labels")
	f.BoolVar(&resume, "resume", false, "append to a file that already has games")
	cmd.AddCommand(newInspectCommand(), newDatagenMergeCommand())
	return cmd
}

func generate(cmd *cobra.Command, path string, o selfplay.Options, resume bool) error {
	if o.Nodes < 1 {
		return usagef("--nodes: want at least 1")
	}
	if n := o.Shard.Count; n > 0 && n > o.Games {
		return usagef("--shard %s: want --games, at least %d: "+
			"a shard cannot know how many games a number of plies takes", o.Shard, n)
	}
	w, games, plies, err := selfplay.OpenWriter(path, o.Recipe)
	if err != nil {
		return err
	}
	if games > 0 && !resume {
		return errors.Join(w.Close(),
			fmt.Errorf("%s has %d games already; give --resume to add to them, or another name", path, games))
	}
	o.Plies -= plies
	o.Skip = games
	total, unit, done := o.Plies, "plies", func(p selfplay.Progress) int { return p.Plies }
	if o.Games > 0 {
		total, unit, done = o.Shard.Size(o.Games)-games, "games", func(p selfplay.Progress) int { return p.Games }
	}
	if total <= 0 {
		fmt.Fprintf(cmd.OutOrStdout(), "%s has %d games, %d plies already\n", path, games, plies)
		return w.Close()
	}
	bar := term.NewProgress(cmd.ErrOrStderr(), total, unit)
	p, err := selfplay.Generate(cmd.Context(), o, w, func(p selfplay.Progress) { bar.Set(done(p)) })
	bar.Finish()
	err = errors.Join(err, w.Close())
	fmt.Fprintf(cmd.OutOrStdout(), "%d games, %d plies, %.0f plies/s; %s now has %d games, %d plies\n",
		p.Games, p.Plies, p.PerSecond, path, games+p.Games, plies+p.Plies)
	if err == nil && done(p) < total {
		err = fmt.Errorf("%w; with --resume the same command continues it", errInterrupted)
	}
	return err
}

func newInspectCommand() *cobra.Command {
	return command("inspect FILE...", func(cmd *cobra.Command, args []string) error {
		r, err := train.Inspect(cmd.Context(), args)
		if err != nil {
			return err
		}
		return printReport(cmd.OutOrStdout(), r)
	})
}

func printReport(out io.Writer, r *train.Report) error {
	share := func(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }
	for _, f := range r.Files {
		printFile(out, f)
	}
	w := newTable(out, 0)
	fmt.Fprintf(w, "games\t%d\tall legal, %d duplicates\n", r.Games, r.Duplicates)
	fmt.Fprintf(w, "plies\t%d\t%.1f a game, after %.1f random ones\n",
		r.Plies, share(r.Plies, r.Games)/100, share(r.OpeningPlies, r.Games)/100)
	fmt.Fprintf(w, "quiet plies\t%d\t%.1f %%, used for training\n", r.Learned, share(r.Learned, r.Plies))
	for _, result := range []rules.Result{rules.WhiteWins, rules.Draw, rules.BlackWins} {
		fmt.Fprintf(w, "%s\t%d\t%.1f %%\n", result, r.Results[result], share(r.Results[result], r.Games))
	}
	return w.Flush()
}

// printFile prints what a file contains and how it was made.
func printFile(out io.Writer, f train.FileStats) {
	fmt.Fprintf(out, "%s: %d games, %d plies\n", f.Path, f.Games, f.Plies)
	if r := f.Recipe; r != nil {
		fmt.Fprintf(out, "  by %s, network %s, --seed %d --nodes %d --hash %d",
			r.Program, r.Network, r.Seed, r.Nodes, r.HashMB)
		if r.Shard.Count > 0 {
			fmt.Fprintf(out, " --shard %s", r.Shard)
		}
		fmt.Fprintln(out)
		if r.LineOpenings > 0 {
			fmt.Fprintf(out, "  --line-openings %g, lines of %s\n", r.LineOpenings, r.Lines)
		}
	}
	if f.Scale > 0 {
		fmt.Fprintf(out, "  %.0f centipawns win 73 %% of its games\n", f.Scale)
	}
	if f.Truncated {
		fmt.Fprintln(out, "  truncated: the last block is incomplete and was left out")
	}
	fmt.Fprintln(out)
}
