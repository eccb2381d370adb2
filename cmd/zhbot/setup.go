package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/internal/setup"
	"github.com/zhbot/zhbot/internal/term"
)

func newSetupCommand() *cobra.Command {
	a := setup.Answers{Settings: map[string][]string{}}
	cmd := settingsCommand("setup", func(cmd *cobra.Command, source config.Source) error {
		if cmd.Flags().Changed("token") {
			return &usageError{errTokenArgument}
		}
		return runSetup(cmd, source, a)
	})
	cmd.Args = noTokenArgs
	f := cmd.Flags()
	f.BoolVar(&a.TokenStdin, "token-stdin", false, "read the token from standard input")
	f.StringVar(&a.TokenFile, "token-file", "", "file that contains the token or will contain it (default token, next to the settings)")
	f.StringVar(&a.Upgrade, "upgrade", "", "turn the account of this name into a BOT account, which cannot be undone")
	for _, q := range setup.Questions {
		parsedFlag(f, new([]string), q.Name, "", func(answer string) (chosen []string, err error) {
			chosen, err = q.Parse(answer)
			a.Settings[q.Name] = chosen
			return chosen, err
		}, "string", q.Usage, q.Choices...)
	}
	f.BoolVar(&a.Defaults, "defaults", false, "use defaults for answers not given by flags, except for the token and the upgrade")
	f.BoolVar(&a.Again, "again", false, "ask again for what is already known, including the token")
	f.BoolVar(&a.Replace, "replace", false, "replace a different token or unit that already exists")
	choiceFlag(f, &a.Start, "start", "", setup.Starts, "how to start the bot: "+strings.Join(setup.Starts, ", "))
	f.String("token", "", "refused: use --token-stdin, --token-file or ZHBOT_LICHESS_TOKEN")
	_ = f.MarkHidden("token")
	return cmd
}

var errTokenArgument = errors.New("every user of this machine can see a command line, so it must not have the token: use --token-stdin, --token-file or ZHBOT_LICHESS_TOKEN, and revoke this one at https://lichess.org/account/oauth/token")

// noTokenArgs is checkArgs, but does not print what may be a token.
func noTokenArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && strings.HasPrefix(args[0], "lip_") {
		return &usageError{errTokenArgument}
	}
	return checkArgs(cmd, args)
}

func runSetup(cmd *cobra.Command, source config.Source, a setup.Answers) error {
	host, err := setup.ThisHost()
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	run, err := setup.Run(ctx, setup.Options{Source: source, Answers: a, In: cmd.InOrStdin(), Out: cmd.OutOrStdout(), Host: host})
	switch {
	case errors.As(err, new(*setup.MissingError)):
		return &usageError{fmt.Errorf("setup: %w", err)}
	case ctx.Err() != nil || errors.Is(err, io.EOF):
		return errors.New("setup: interrupted; what was written so far is kept, and the next setup continues from there")
	case err != nil:
		return fmt.Errorf("setup: %w", err)
	case !run:
		return nil
	}
	source.Flags = nil // they are in the file now
	return app.Run(context.WithoutCancel(ctx), source, catchSignals(), cmd.ErrOrStderr())
}

// showNextSteps prints in five lines what to do next, given the state of the bot that is
// set up in this folder or, for root, as a system service.
func showNextSteps(cmd *cobra.Command, source config.Source) error {
	system := filepath.Join(setup.SystemDir, defaultFile)
	if source.Optional && os.Geteuid() == 0 && !file.Exists(source.File) && file.Exists(system) {
		source.File = system
	}
	state, steps := setup.NextSteps(cmd.Context(), source)
	width := 10
	for i := range steps {
		name := &steps[i].Command
		if c, _, err := cmd.Find(strings.Fields(*name)); err == nil && source.File != defaultFile && c.Flag("config") != nil {
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

func newUpgradeCommand() *cobra.Command {
	var yes bool
	cmd := settingsCommand("upgrade", func(cmd *cobra.Command, source config.Source) error { return upgrade(cmd, source, yes) })
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func upgrade(cmd *cobra.Command, source config.Source, yes bool) error {
	c, err := config.Load(source)
	if err != nil {
		return err
	}
	client, err := app.Connect(c)
	if err != nil {
		return err
	}
	defer client.Close()
	found, err := bot.Inspect(cmd.Context(), client, c.Lichess.URL)
	if err != nil {
		return fmt.Errorf("upgrade: %w", err)
	}
	a, out := found.Account, cmd.OutOrStdout()
	if a.IsBot() {
		fmt.Fprintf(out, "%s is already a BOT account\n", a.Username)
		return nil
	}
	if !yes {
		question := fmt.Sprintf("%s will become a BOT account. This CANNOT be undone. Type the account's name to continue: ", a.Username)
		answer, _ := term.NewPrompt(cmd.InOrStdin(), out).Line(cmd.Context(), question) // no answer is a no
		if !strings.EqualFold(answer, a.Username) {
			return errors.New("upgrade: not confirmed, nothing was changed")
		}
	}
	if err := client.UpgradeToBot(cmd.Context()); err != nil {
		return fmt.Errorf("upgrade %s: %w", a.Username, err)
	}
	fmt.Fprintf(out, "%s is a BOT account now; \"zhbot run\" plays with it\n", a.Username)
	return nil
}
