package main

import (
	"errors"

	"github.com/spf13/cobra"
)

// usageError is a command line that can not be: exit code 2.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "zhbot",
		Short: "A crazyhouse BOT for Lichess",
		Long: "zhbot plays crazyhouse on Lichess as a BOT account, with its own engine.\n" +
			"Try \"zhbot demo\" first: it plays against a Lichess of its own and needs no account.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.AddCommand(
		newRunCommand(), newDemoCommand(), newCheckCommand(), newUpgradeCommand(),
		newUCICommand(), newBenchCommand(), newPerftCommand(), newMatchCommand(),
		newDatagenCommand(), newTrainCommand(), newVersionCommand(),
	)
	return root
}

// noArgs refuses arguments with a usage error.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasSubCommands() {
		return &usageError{errors.New("unknown command \"" + args[0] + "\"")}
	}
	return &usageError{errors.New(cmd.CommandPath() + " takes no arguments, got \"" + args[0] + "\"")}
}

// exactArgs refuses any other number of arguments with a usage error.
func exactArgs(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := cobra.ExactArgs(n)(cmd, args); err != nil {
			return &usageError{err}
		}
		return nil
	}
}
