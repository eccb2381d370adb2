package mover

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/uci"
	"github.com/zhbot/zhbot/rules"
)

// TestMain makes the test binary an engine program when its arguments are "fake-engine" and
// a behaviour. Such a program ends by syscall.Exit: os.Exit would first write coverage, or
// a warning.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "fake-engine" {
		fakeEngine(os.Args[2])
		syscall.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// command returns the command line of a fake engine.
func command(t testing.TB, behavior string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("'%s' fake-engine '%s'", self, behavior)
}

// fakeEngine is our engine as a program, with a fault.
func fakeEngine(behavior string) {
	behavior, file, _ := strings.Cut(behavior, ":")
	switch behavior {
	case "idle-flood":
		time.AfterFunc(50*time.Millisecond, func() {
			for {
				fmt.Println()
			}
		})
	case "crash-at-start":
		fmt.Fprintln(os.Stderr, "no network file")
		syscall.Exit(4)
	case "environment":
		if err := os.WriteFile(file, []byte(strings.Join(os.Environ(), "\n")), 0o600); err != nil {
			panic(err)
		}
	case "once": // the first process crashes, later ones work
		if f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			f.Close()
			behavior = "crash"
		}
	case "xboard":
		fakeXBoard(file)
		return
	}
	in, commands := io.Pipe()
	go forward(behavior, file, commands)
	server := uci.Server{Version: "fake " + behavior, Options: engine.Options{Threads: 1, HashMB: 1}}
	if err := server.Run(context.Background(), in, os.Stdout); err != nil {
		panic(err)
	}
}

// forward passes commands on, but for those that the behaviour is about.
func forward(behavior, file string, commands io.WriteCloser) {
	defer commands.Close()
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		name, _, _ := strings.Cut(lines.Text(), " ")
		switch {
		case behavior == "silent" && name != "quit":
			continue
		case behavior == "chess" && name == "uci":
			fmt.Println("id name Chess only\nuciok")
			continue
		case name == "go" && misbehave(behavior):
			continue
		case behavior == "records":
			appendLine(file, lines.Text())
		}
		fmt.Fprintln(commands, lines.Text())
	}
}

// misbehave answers a search, and reports whether it has.
func misbehave(behavior string) bool {
	switch behavior {
	case "crash":
		fmt.Fprintln(os.Stderr, "segmentation fault")
		syscall.Exit(3)
	case "illegal":
		fmt.Println("info depth 3 score cp 5 nodes 9 pv e2e4\nbestmove a1a1")
	case "hang":
		fmt.Println("info depth 3 score cp 5 nodes 9 pv e2e4")
	case "flood":
		go func() {
			for {
				fmt.Println("info string " + strings.Repeat("noise ", 500))
			}
		}()
	case "late":
		time.Sleep(300 * time.Millisecond)
		fmt.Println("bestmove e2e4")
	default:
		return false
	}
	return true
}

func appendLine(path, line string) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintln(f, line)
}

// fakeXBoard plays the first legal move over xboard's protocol, and records in a file what
// it is sent. It ends at a move that is illegal.
func fakeXBoard(file string) {
	var g *rules.Game
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		appendLine(file, lines.Text())
		switch name, rest, _ := strings.Cut(lines.Text(), " "); name {
		case "protover":
			fmt.Println(`feature ping=1 setboard=1 usermove=1 myname="Fake" variants="crazyhouse" done=1`)
		case "new":
			g = rules.NewGame(rules.StartPosition())
		case "usermove":
			if err := g.PlayUCI(rest); err != nil {
				panic(err)
			}
		case "ping":
			fmt.Println("pong", rest)
		case "go":
			m := g.Position().LegalMoves()[0]
			fmt.Println("move", g.Position().UCI(m))
			if err := g.Play(m); err != nil {
				panic(err)
			}
		}
	}
}
