package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/internal/app"
)

func newRunCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:    "run",
		PreRun: surviveBrokenPipes,
		RunE: func(cmd *cobra.Command, _ []string) error {
			source, err := s.source()
			if err != nil {
				return err
			}
			return app.Run(cmd.Context(), source, cmd.ErrOrStderr())
		},
	}
	s.addFlags(cmd.Flags())
	return cmd
}

func newHealthCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use: "health",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.load()
			if err != nil {
				return err
			}
			if err := app.AskReady(cmd.Context(), c.Web.Listen); err != nil {
				return fmt.Errorf("health: %w", err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "ready")
			return err
		},
	}
	s.addFlags(cmd.Flags())
	return cmd
}
