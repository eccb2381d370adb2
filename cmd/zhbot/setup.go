package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/internal/setup"
	"github.com/zhbot/zhbot/internal/term"
)

func newSetupCommand() *cobra.Command {
	var o setup.Options
	cmd := settingsCommand("setup", func(cmd *cobra.Command, source config.Source) error {
		if len(source.Flags) > 0 {
			return usagef("--set is gone from setup, which writes the place of the token only: " +
				"put other settings into config.yaml")
		}
		o.Source = source
		return runSetup(cmd, o)
	})
	cmd.Args = checkSetupArgs
	f := cmd.Flags()
	f.BoolVar(&o.TokenStdin, "token-stdin", false, "read the token from standard input")
	f.StringVar(&o.TokenFile, "token-file", "",
		"file that contains the token or will contain it (default token, next to the settings)")
	f.StringVar(&o.Upgrade, "upgrade", "", "turn the account of this name into a BOT account, which cannot be undone")
	_ = f.MarkHidden("set")
	return cmd
}

var errTokenArgument = errors.New("every user of this machine can see a command line, so it must not have the token: " +
	"use --token-stdin, --token-file or ZHBOT_LICHESS_TOKEN, and revoke this one at " +
	"https://lichess.org/account/oauth/token")

// checkSetupArgs is checkArgs, but does not print what may be a token.
func checkSetupArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && strings.HasPrefix(args[0], "lip_") {
		return &usageError{errTokenArgument}
	}
	return checkArgs(cmd, args)
}

func runSetup(cmd *cobra.Command, o setup.Options) error {
	ctx := cmd.Context()
	o.In, o.Out = cmd.InOrStdin(), cmd.OutOrStdout()
	source, err := setup.Run(ctx, o)
	switch {
	case errors.Is(err, setup.ErrNoTerminal):
		return usagef("setup: %w", err)
	case ctx.Err() != nil || errors.Is(err, io.EOF):
		return fmt.Errorf("%w; run it again", errInterrupted)
	case err != nil || source == nil:
		return err
	}
	return app.Run(context.WithoutCancel(ctx), *source, catchSignals(), cmd.ErrOrStderr())
}

// showNextSteps prints in five lines what to do next, given the state of the bot that is
// set up in this folder or, for root, as a system service.
func showNextSteps(cmd *cobra.Command, source config.Source) error {
	if source.Optional && os.Geteuid() == 0 && !file.Exists(source.File) && file.Exists(setup.SystemFile) {
		source.File = setup.SystemFile
	}
	state, steps := setup.NextSteps(cmd.Context(), source)
	width := 10
	for i := range steps {
		name := &steps[i].Command
		if c, _, err := cmd.Find(strings.Fields(*name)); err == nil && source.File != defaultFile &&
			c.Flag("config") != nil {
			*name += " " + setup.ConfigFlag(source.File)
		}
		width = max(width, len(*name))
	}
	out := cmd.OutOrStdout()
	fmt.Fprintln(out, term.Printable(state))
	for _, step := range steps {
		fmt.Fprintf(out, "  zhbot %-*s %s\n", width, step.Command, step.Does)
	}
	return nil
}
