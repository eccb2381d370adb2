package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/internal/livepage"
)

func newHealthCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Say whether the running bot is ready to play",
		Long: "health asks the bot that runs with the same settings, at web.listen, whether its event\n" +
			"stream is open. Its exit code is 0 only if so: that is what a container is asked.",
		Example: "  zhbot health\n  zhbot health --config config.yaml",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.load()
			if err != nil {
				return err
			}
			if err := livepage.AskReady(cmd.Context(), c.Web.Listen); err != nil {
				return fmt.Errorf("health: %w", err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "ready")
			return err
		},
	}
	s.addFlags(cmd.Flags())
	return cmd
}
