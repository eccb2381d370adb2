package main

import (
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
