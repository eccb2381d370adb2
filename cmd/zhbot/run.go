package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/app"
)

func newRunCommand() *cobra.Command {
	var signals <-chan os.Signal
	cmd := settingsCommand("run", func(cmd *cobra.Command, source config.Source) error {
		return app.Run(cmd.Context(), source, signals, cmd.ErrOrStderr())
	})
	cmd.PersistentPreRun = func(*cobra.Command, []string) { signals = catchSignals() }
	cmd.PreRun = surviveBrokenPipes
	return cmd
}

// catchSignals returns the signals that would end the process, which from now on they do not.
func catchSignals() <-chan os.Signal {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	return signals
}

func newHealthCommand() *cobra.Command {
	return settingsCommand("health", func(cmd *cobra.Command, source config.Source) error {
		source.Sections = []string{"web"} // the bot plays on while there are mistakes in the file
		c, err := config.Load(source)
		if err != nil {
			return err
		}
		if err := app.AskReady(cmd.Context(), c.Web.Listen); err != nil {
			return err
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), "ready")
		return err
	})
}
