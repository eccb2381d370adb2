// Command zhbot plays crazyhouse on Lichess as a BOT account.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // time zones where the system has none, as in the container

	"github.com/zhbot/zhbot/bot"
)

func main() { os.Exit(run()) }

// The exit codes of every command.
const (
	exitOK      = 0
	exitFailed  = 1
	exitUsage   = 2
	exitRefused = 3 // by Lichess, the token or the account: restarting does not help
)

// run executes the command line. The first signal cancels the context that
// commands get; "run" drains on it and takes the second signal itself.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := newRoot().ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	fmt.Fprintln(os.Stderr, "zhbot: "+err.Error())
	var usage *usageError
	if errors.As(err, &usage) {
		fmt.Fprintln(os.Stderr, "zhbot: see \"zhbot help\" or \"zhbot COMMAND --help\"")
		return exitUsage
	}
	if bot.IsRefused(err) {
		return exitRefused
	}
	return exitFailed
}
