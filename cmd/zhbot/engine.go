package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/uci"
	"github.com/zhbot/zhbot/internal/version"
)

func newUCICommand() *cobra.Command {
	var threads, hash int
	cmd := &cobra.Command{
		Use:     "uci",
		Short:   "Run the engine for a chess program, by the UCI protocol",
		Example: "  zhbot uci\n  printf 'uci\\nposition startpos\\ngo perft 3\\nquit\\n' | zhbot uci",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			network, err := engine.OpenNetwork("")
			if err != nil {
				return err
			}
			s := uci.Server{Version: version.Number(), Options: engine.Options{Threads: threads, HashMB: hash, Network: network}, Seed: rand.Uint64()}
			return s.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	threadsFlag(cmd.Flags(), &threads, 1, "search threads, until the option Threads is set")
	hashFlag(cmd.Flags(), &hash, 256, "transposition table in MiB, until the option Hash is set")
	return cmd
}

func newBenchCommand() *cobra.Command {
	depth := 0
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Search fixed positions to a fixed depth and report speed",
		Long: "bench searches a fixed set of positions on one thread. The number of nodes is the same\n" +
			"in every run of one version: it is its signature.",
		Example: "  zhbot bench\n  zhbot bench --depth 8",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if depth < 0 || depth > 60 {
				return &usageError{fmt.Errorf("--depth %d: want a number from 1 to 60", depth)}
			}
			if depth == 0 {
				depth = engine.DefaultBenchDepth
			}
			r, err := engine.Bench(cmd.Context(), depth)
			if err != nil {
				return interrupted("bench", err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d nodes %d nps\n", r.Nodes, r.NPS())
			return err
		},
	}
	cmd.Flags().IntVar(&depth, "depth", 0, "plies to search (default the signature's)")
	return cmd
}
