package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/app"
)

func newRunCommand() *cobra.Command {
	cmd := settingsCommand("run", func(cmd *cobra.Command, source config.Source) error {
		return app.Run(cmd.Context(), source, cmd.ErrOrStderr())
	})
	cmd.PreRun = surviveBrokenPipes
	return cmd
}

func newHealthCommand() *cobra.Command {
	return settingsCommand("health", func(cmd *cobra.Command, source config.Source) error {
		c, err := config.Load(source)
		if err != nil {
			return err
		}
		if err := app.AskReady(cmd.Context(), c.Web.Listen); err != nil {
			return fmt.Errorf("health: %w", err)
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), "ready")
		return err
	})
}
