package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/app"
)

func newRunCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Play on Lichess until stopped",
		Long: "run plays as the configured BOT account: it accepts challenges and plays their games.\n\n" +
			"The first SIGINT or SIGTERM drains: no new game begins, and run ends when no game with a\n" +
			"clock is left, or after games.drain_timeout. A second one stops at once. The games\n" +
			"stay on the server; the next start resumes them.\n\n" +
			"On SIGHUP, and when the file changes, the configuration is reloaded. An invalid one is\n" +
			"reported and changes nothing. These change at once:\n" +
			strings.Join(config.Reloaded(), ", ") + ".\n" +
			"All others change at the next start, and the log names them.\n\n" +
			"When Lichess refuses the token or the account (revoked, closed, not a BOT), run exits with\n" +
			"code 3, since a restart would not help; with lichess.retry_refused it stays up instead and\n" +
			"retries at that interval.",
		Example: "  ZHBOT_LICHESS_TOKEN=lip_… zhbot run\n  zhbot run --config config.yaml --set games.max=2",
		PreRun:  surviveBrokenPipes,
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
		Use:   "health",
		Short: "Report whether the running bot is ready to play",
		Long: "health asks the bot that runs with the same settings, at web.listen, whether its event stream\n" +
			"is open, and exits with 0 only if so. It serves as a container's health check.",
		Example: "  zhbot health\n  zhbot health --config config.yaml",
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
