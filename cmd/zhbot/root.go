package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// usageError is an invalid command line: exit code 2.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// interrupted returns the error of work that failed or, by a signal, was cut
// short.
func interrupted(what string, err error) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s: interrupted", what)
	}
	return fmt.Errorf("%s: %w", what, err)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "zhbot",
		Short: "A crazyhouse BOT for Lichess",
		Long: "zhbot plays crazyhouse on Lichess as a BOT account, with its own engine.\n" +
			"Try \"zhbot demo\" first: it plays against a Lichess of its own and needs no account.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE:          showHelp,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.AddCommand(
		newRunCommand(), newDemoCommand(), newSoakCommand(), newCheckCommand(), newHealthCommand(), newUpgradeCommand(),
		newStatsCommand(), newAnalyseCommand(), newUCICommand(), newBenchCommand(), newPerftCommand(), newMatchCommand(), newTuneCommand(),
		newDatagenCommand(), newTrainCommand(), newBookCommand(), newVersionCommand(),
	)
	setUpCobra(root)
	return root
}

// setUpCobra holds the commands that cobra adds to what all others do: an
// example, and a usage error for a wrong argument.
func setUpCobra(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Example, cmd.Args = "  zhbot help run", knownCommand
		case "completion":
			cmd.Example, cmd.Args, cmd.RunE = "  zhbot completion bash", noArgs, showHelp
			for _, shell := range cmd.Commands() {
				shell.Example, shell.Args = "  zhbot completion "+shell.Name(), noArgs
			}
		}
	}
}

func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// knownCommand refuses arguments that name no command.
func knownCommand(cmd *cobra.Command, args []string) error {
	_, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return &usageError{fmt.Errorf("unknown command %q", strings.Join(args, " "))}
	}
	return nil
}

// noArgs refuses arguments with a usage error.
func noArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasSubCommands():
		return &usageError{fmt.Errorf("unknown command %q", args[0])}
	}
	return &usageError{fmt.Errorf("%s takes no arguments, got %q", cmd.CommandPath(), args[0])}
}

// oneArg refuses any other number of arguments with a usage error.
func oneArg(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return &usageError{fmt.Errorf("%s takes one argument, got %d", cmd.CommandPath(), len(args))}
	}
	return nil
}

// someArgs refuses an empty list of arguments with a usage error.
func someArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return &usageError{fmt.Errorf("%s takes at least one argument", cmd.CommandPath())}
	}
	return nil
}
