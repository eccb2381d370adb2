package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/engine"
)

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
