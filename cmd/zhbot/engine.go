package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/uci"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/internal/term"
	"github.com/zhbot/zhbot/rules"
)

func newUCICommand() *cobra.Command {
	s := uci.Server{Version: app.Version(), Options: engine.Options{Threads: 1}, Seed: rand.Uint64(),
		MaxHashMB: maxHash()}
	cmd := command("uci", func(cmd *cobra.Command, _ []string) error {
		return s.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
	})
	cmd.Flags().BoolVar(&s.Parameters, "parameters", false,
		"list the parameters of the search among the options, for tuning")
	return cmd
}

func newBenchCommand() *cobra.Command {
	var depth int
	cmd := command("bench", func(cmd *cobra.Command, _ []string) error {
		nodes, nps, err := engine.Bench(cmd.Context(), depth)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d nodes %d nps\n", nodes, nps)
		return err
	})
	numberFlag(cmd.Flags(), &depth, "depth", engine.DefaultBenchDepth, 1, func() int { return 60 },
		"plies to search; the signature is that of the default")
	return cmd
}

// maxPerftDepth keeps a typo from running for years.
const maxPerftDepth = 20

func newPerftCommand() *cobra.Command {
	start := rules.StartPosition()
	var moves string
	var divide bool
	cmd := command("perft DEPTH", func(cmd *cobra.Command, args []string) error {
		depth, err := strconv.Atoi(args[0])
		if err != nil || depth < 0 || depth > maxPerftDepth {
			return usagef("depth %q: want a number from 0 to %d", args[0], maxPerftDepth)
		}
		g := rules.NewGame(start)
		if err := g.PlayUCI(strings.Fields(moves)...); err != nil {
			return &usageError{err}
		}
		return perft(cmd, g.Position(), depth, divide)
	})
	parsedFlag(cmd.Flags(), &start, "fen", "", rules.ParseFEN, "string",
		"position, in any of the usual notations (default the start position)")
	cmd.Flags().StringVar(&moves, "moves", "", "moves to play first, in UCI notation")
	cmd.Flags().BoolVar(&divide, "divide", false, "print the count after each move")
	return cmd
}

// perft counts the leaves, move by move from the root, and prints the sum.
func perft(cmd *cobra.Command, p *rules.Position, depth int, divide bool) error {
	out, start := cmd.OutOrStdout(), time.Now()
	nodes := uint64(1)
	if depth > 0 {
		var err error
		if nodes, err = countMoves(cmd, p, depth, divide); err != nil {
			return err
		}
	}
	took := time.Since(start)
	_, err := fmt.Fprintf(out, "Nodes searched: %d\nTime: %s, %.0f Mnodes/s\n",
		nodes, took.Round(time.Microsecond), float64(nodes)/max(took.Seconds(), 1e-9)/1e6)
	return err
}

func countMoves(cmd *cobra.Command, p *rules.Position, depth int, divide bool) (nodes uint64, err error) {
	bar := term.NewProgress(cmd.ErrOrStderr(), p.CountMoves(), "moves")
	defer bar.Finish()
	counted := 0
	for m, n := range p.Divide(cmd.Context(), depth) {
		nodes += n
		counted++
		bar.Set(counted)
		if divide {
			bar.Clear()
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %d\n", p.UCI(m), n)
		}
	}
	return nodes, cmd.Context().Err()
}
