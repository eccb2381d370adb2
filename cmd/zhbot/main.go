// Command zhbot plays crazyhouse on Lichess as a BOT account.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	_ "time/tzdata" // time zones where the system has none, as in the container

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/config"
)

func main() {
	cobra.EnableCommandSorting = false // help lists what is used most first
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// The exit codes of every command.
const (
	exitOK      = 0
	exitFailed  = 1
	exitUsage   = 2
	exitRefused = 3 // by Lichess, the token or the account: restarting does not help

	// Of match merge --sprt, where exitOK means that H1 was accepted.
	exitH0        = 4
	exitUndecided = 5
)

// tokenText matches Lichess's tokens, which a mistaken command line may hold.
var tokenText = regexp.MustCompile(`lip_\w+`)

// run executes the command line, and returns the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	message := tokenText.ReplaceAllString(err.Error(), "[token]")
	fmt.Fprintln(errOut, "zhbot: "+strings.TrimPrefix(message, "zhbot "))
	printFailure(cmd, message)
	if _, ok := errors.AsType[*usageError](err); ok {
		fmt.Fprintln(errOut, "zhbot: see \"zhbot help\" or \"zhbot COMMAND --help\"")
		return exitUsage
	}
	if verdict, ok := errors.AsType[*verdictError](err); ok {
		return verdict.exitCode()
	}
	if bot.IsRefused(err) {
		return exitRefused
	}
	return exitFailed
}

// cancelOnSignal has the first signal cancel a command's context, and the second one end the
// process, as it says. Commands that count signals themselves replace it.
func cancelOnSignal(cmd *cobra.Command, _ []string) {
	parent := cmd.Context()
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop()
		if parent.Err() == nil {
			fmt.Fprintln(cmd.ErrOrStderr(), "zhbot: stopping; press Ctrl-C again to quit at once")
		}
	})
	cmd.SetContext(ctx)
}

// surviveBrokenPipes makes a write to a pipe without a reader fail instead of ending the
// process, whose games would be lost. The signal is not ignored, since engine programs would
// inherit that.
func surviveBrokenPipes(*cobra.Command, []string) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}

// usageError is an invalid command line: exit code 2.
type usageError struct{ err error }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// command returns a command whose error, unless it is one of usage, begins with its name,
// and says if a signal has cut it short.
func command(use string, run func(cmd *cobra.Command, args []string) error) *cobra.Command {
	return &cobra.Command{Use: use, RunE: func(cmd *cobra.Command, args []string) error {
		err := run(cmd, args)
		_, name, _ := strings.Cut(cmd.CommandPath(), " ")
		if _, ok := errors.AsType[*usageError](err); ok || err == nil || name == "" {
			return err
		}
		if errors.Is(err, context.Canceled) {
			err = errInterrupted
		}
		return fmt.Errorf("%s: %w", name, err)
	}}
}

var errInterrupted = errors.New("interrupted")

// resumable adds to the error of interrupted work how it can be continued, from a state file;
// "" is none.
func resumable(stateFile string, err error) error {
	switch {
	case !errors.Is(err, context.Canceled):
		return err
	case stateFile == "":
		return fmt.Errorf("%w; with --resume FILE it can be continued", errInterrupted)
	}
	return fmt.Errorf("%w; the same command continues it", errInterrupted)
}

func newRoot() *cobra.Command {
	defaults := config.Default()
	root := settingsCommand("zhbot", showNextSteps)
	root.SilenceErrors, root.SilenceUsage, root.PersistentPreRun = true, true, cancelOnSignal
	root.SetFlagErrorFunc(flagError)
	root.Version = version()
	root.SetVersionTemplate("{{.Version}}\n")
	addGroup(root, "Run the bot:", newSetupCommand(), newRunCommand(), newCtlCommand(), newCheckCommand(),
		newConfigCommand(), newDemoCommand(&defaults), newSoakCommand(&defaults), newHealthCommand())
	addGroup(root, "Look at games:", newStatsCommand(), newAnalyseCommand(), newPlayCommand())
	addGroup(root, "Test strength:", newMatchCommand(), newUCICommand(), newBenchCommand(), newPerftCommand())
	addGroup(root, "Build the engine:", newDatagenCommand(), newTrainCommand(),
		group("network", newNetworkInspectCommand()), newTuneCommand(),
		group("book", newBookBuildCommand(), newBookShowCommand()))
	root.AddCommand(newVersionCommand(), newManCommand(), newRemovedCommand("games", errUseCurl),
		newRemovedCommand("upgrade", errors.New("\"zhbot setup --upgrade NAME\" turns the account into a BOT account")),
	)
	visitCommands(root, addHelp)
	setUpCobra(root)
	return root
}

// errUseCurl refuses what asked Lichess for games.
var errUseCurl = errors.New("download games from Lichess with the curl in docs/operating.md, \"Games from Lichess\"")

// newRemovedCommand returns a hidden command that says what to do instead.
func newRemovedCommand(name string, instead error) *cobra.Command {
	return &cobra.Command{
		Use: name + " [ARGUMENT...]", Hidden: true, DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usagef("%s is gone: %w", cmd.CommandPath(), instead)
		},
	}
}

// visitCommands calls visit for a command and all those below it.
func visitCommands(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, sub := range cmd.Commands() {
		visitCommands(sub, visit)
	}
}

// addGroup adds commands that help lists under a title.
func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range commands {
		c.GroupID = title
	}
	root.AddCommand(commands...)
}

// group returns a command that only has others.
func group(use string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use}
	cmd.AddCommand(commands...)
	return cmd
}

// setUpCobra has all commands, those that cobra adds included, check their arguments, and
// those that only have others print their help.
func setUpCobra(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Example, help.Args = "  zhbot help run", knownCommand
	completion, _, _ := root.Find([]string{"completion"})
	for _, cmd := range append(completion.Commands(), completion) {
		cmd.Example, cmd.Args = "  "+cmd.CommandPath(), nil
	}
	completion.Example += " bash"
	visitCommands(root, setDefaults)
}

func setDefaults(cmd *cobra.Command) {
	if cmd.Args == nil {
		cmd.Args = checkArgs
	}
	if !cmd.Runnable() {
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
}

// knownCommand refuses arguments that name no command.
func knownCommand(cmd *cobra.Command, args []string) error {
	parent, rest, _ := cmd.Root().Find(args) // of an unknown command, rest begins with it
	if len(rest) > 0 {
		return unknownCommand(parent, rest[0])
	}
	return nil
}

// unknownCommand returns a usage error that names the nearest command of a parent.
func unknownCommand(parent *cobra.Command, name string) error {
	var names []string
	for _, c := range parent.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return usagef("unknown command %q%s", name, config.DidYouMean(name, names))
}

// checkArgs refuses, with a usage error, arguments that a command's usage does not name.
func checkArgs(cmd *cobra.Command, args []string) error {
	_, usage, _ := strings.Cut(cmd.Use, " ")
	names := strings.Fields(usage)
	optional := strings.Count(usage, "[")
	switch {
	case len(args) >= len(names)-optional && (len(args) <= len(names) || strings.Contains(usage, "...")):
		return nil
	case len(names) == 0 && cmd.HasSubCommands():
		return unknownCommand(cmd, args[0])
	case len(names) == 0:
		return usagef("%s takes no arguments, got %q", cmd.CommandPath(), args[0])
	}
	return usagef("%s takes %s", cmd.CommandPath(), usage)
}
