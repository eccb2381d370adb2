package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/analysis"
	"github.com/zhbot/zhbot/internal/terminal"
	"github.com/zhbot/zhbot/internal/version"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// analyseFlags are the flags of zhbot analyse.
type analyseFlags struct {
	limits  engine.Limits
	threads int
	hashMB  int
	network string
}

func newAnalyseCommand() *cobra.Command {
	var f analyseFlags
	cmd := &cobra.Command{
		Use:   "analyse FILE",
		Short: "Evaluate every move of a PGN file with the engine",
		Long: "analyse reads crazyhouse games and prints them with the engine's evaluation after each move\n" +
			"([%eval]). Inaccuracies, mistakes and blunders are marked ($6, $2, $4) and say what was best;\n" +
			"they are moves that lose 5, 10 or 15 of 100 points of expected score, as on Lichess. A balance\n" +
			"for each player goes to standard error. With \"-\" the games come from standard input.",
		Example: "  zhbot analyse game.pgn > annotated.pgn\n  zhbot analyse --time 2s records/2026-08.pgn",
		Args:    oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, args[0])
		},
	}
	flags := cmd.Flags()
	flags.DurationVar(&f.limits.MoveTime, "time", 200*time.Millisecond, "time for each position")
	flags.Uint64Var(&f.limits.Nodes, "nodes", 0, "nodes for each position instead, on one thread; the result is repeatable")
	threadsFlag(flags, &f.threads, 0, "search threads (default one for each core)")
	hashFlag(flags, &f.hashMB, 64, "transposition table in MiB")
	flags.StringVar(&f.network, "network", "", "network file, or none (default the built-in one)")
	return cmd
}

func (f *analyseFlags) run(cmd *cobra.Command, file string) error {
	if f.limits.Nodes == 0 && f.limits.MoveTime <= 0 {
		return &usageError{fmt.Errorf("--time %s: want more than nothing", f.limits.MoveTime)}
	}
	in, err := openInput(cmd, file)
	if err != nil {
		return fmt.Errorf("analyse: %w", err)
	}
	defer func() { _ = in.Close() }() // it was only read
	e, err := f.newEngine()
	if err != nil {
		return err
	}
	games, bad := 0, 0
	for reader := pgn.NewReader(in); ; {
		g, err := reader.Next()
		var broken *pgn.GameError
		switch {
		case errors.Is(err, io.EOF):
			return f.checkCounts(file, games, bad)
		case errors.As(err, &broken):
			bad++
			fmt.Fprintln(cmd.ErrOrStderr(), "skipped:", broken)
			continue
		case err != nil:
			return fmt.Errorf("analyse: %w", err)
		}
		games++
		if err := f.annotateGame(cmd, e, g); err != nil {
			return err
		}
	}
}

func openInput(cmd *cobra.Command, file string) (io.ReadCloser, error) {
	if file == "-" {
		return io.NopCloser(cmd.InOrStdin()), nil
	}
	return os.Open(file)
}

func (f *analyseFlags) newEngine() (*engine.Engine, error) {
	network, err := engine.OpenNetwork(f.network)
	if err != nil {
		return nil, fmt.Errorf("analyse: --network: %w", err)
	}
	threads := f.threads
	if f.limits.Nodes > 0 {
		threads = 1
	}
	return engine.New(engine.Options{Threads: threads, HashMB: f.hashMB, Network: network}), nil
}

// checkCounts returns an error if games could not be read.
func (f *analyseFlags) checkCounts(file string, games, bad int) error {
	switch {
	case bad > 0:
		return fmt.Errorf("analyse %s: %d of %d games could not be read", file, bad, games+bad)
	case games == 0:
		return fmt.Errorf("analyse %s: no games in it", file)
	}
	return nil
}

// annotateGame evaluates a game, prints it, and summarizes each player's moves.
func (f *analyseFlags) annotateGame(cmd *cobra.Command, e *engine.Engine, g *pgn.Game) error {
	limits := f.limits
	if limits.Nodes > 0 {
		limits.MoveTime = 0
	}
	bar := terminal.NewProgress(cmd.ErrOrStderr(), len(g.Moves)+1, "positions")
	summaries, err := analysis.Annotate(cmd.Context(), e, limits, g, bar.Set)
	bar.Finish()
	if err != nil {
		return interrupted("analyse", err)
	}
	g.SetTag("Annotator", "zhbot "+version.Number())
	if _, err := g.WriteTo(cmd.OutOrStdout()); err != nil {
		return fmt.Errorf("analyse: %w", err)
	}
	for _, c := range []rules.Color{rules.White, rules.Black} {
		name := strings.ToUpper(c.String()[:1]) + c.String()[1:]
		fmt.Fprintf(cmd.ErrOrStderr(), "%s %s: %s\n", name, terminal.Printable(g.Tag(name)), summaries[c])
	}
	return nil
}
