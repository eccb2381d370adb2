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
	return &cobra.Command{
		Use:     "uci",
		Short:   "Run the engine for a chess program, by the UCI protocol",
		Example: "  zhbot uci\n  printf 'uci\\nposition startpos\\ngo perft 3\\nquit\\n' | zhbot uci",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			network, err := engine.OpenNetwork("")
			if err != nil {
				return err
			}
			s := uci.Server{Version: version.Number(), Options: engine.Options{Threads: 1, Network: network}, Seed: rand.Uint64()}
			return s.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}

func newBenchCommand() *cobra.Command {
	depth := engine.DefaultBenchDepth
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Search fixed positions to a fixed depth and report speed",
		Long: "bench searches a fixed set of positions on one thread. The number of nodes is the same\n" +
			"in every run of one version: it is its signature.",
		Example: "  zhbot bench\n  zhbot bench --depth 8",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := engine.Bench(cmd.Context(), depth)
			if err != nil {
				return interrupted("bench", err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d nodes %d nps\n", r.Nodes, r.NPS())
			return err
		},
	}
	cmd.Flags().Var(boundedInt{&depth, 1, func() int { return 60 }}, "depth", "plies to search; the default is the signature's")
	return cmd
}
