// Package enginetest turns test binaries into fake engine programs, and makes books for tests.
package enginetest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/uci"
)

// Command returns the command line of the test binary as an engine program with a behaviour,
// which may have an argument after a colon.
func Command(t testing.TB, behavior string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("'%s' fake-engine '%s'", self, behavior)
}

// Serve runs our engine over UCI if the test binary was started by [Command], and does not return;
// otherwise it returns at once. It calls pass with "" before the first command, and then with each
// command and the number of go commands so far: the engine gets the command if pass returns true;
// else pass has answered it, or misbehaved.
func Serve(pass func(behavior, argument, command string, searches int) bool) {
	if len(os.Args) != 3 || os.Args[1] != "fake-engine" {
		return
	}
	behavior, argument, _ := strings.Cut(os.Args[2], ":")
	in, commands := io.Pipe()
	pass(behavior, argument, "", 0)
	go func() {
		searches := 0
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "go ") {
				searches++
			}
			if pass(behavior, argument, lines.Text(), searches) {
				fmt.Fprintln(commands, lines.Text())
			}
		}
		_ = commands.Close() // never fails
	}()
	server := uci.Server{Version: "fake " + behavior, Options: engine.Options{Threads: 1, HashMB: 1}}
	if err := server.Run(context.Background(), in, os.Stdout); err != nil {
		panic(err)
	}
	syscall.Exit(0) // os.Exit would first write coverage, or a warning
}

// Crash ends the program.
func Crash(message string) {
	fmt.Fprintln(os.Stderr, message)
	syscall.Exit(3)
}
