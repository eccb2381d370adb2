package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/engine"
)

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
