package uci

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// TestMain lets the test binary be an engine as well, for the clients' tests:
// with the arguments "fake-engine" and its manners.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "fake-engine" {
		fakeEngine(os.Args[2])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// startFake starts the test binary as an engine.
func startFake(t *testing.T, manners string) *Process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := StartProcess(fmt.Sprintf("'%s' fake-engine %s", self, manners))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// fakeEngine is an engine on standard input and output that behaves badly.
func fakeEngine(manners string) {
	in := bufio.NewScanner(os.Stdin)
	if kind, ok := strings.CutPrefix(manners, "cecp-"); ok {
		fakeCECP(kind, in)
		return
	}
	switch manners {
	case "ours":
		server := Server{Version: "test", Options: engine.Options{Threads: 1, HashMB: 1}}
		if err := server.Run(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return
	case "mute":
		for in.Scan() {
		}
		return
	case "deaf":
		fmt.Println("I do not listen.")
		time.Sleep(time.Hour) // or until it is killed
	}
	for in.Scan() {
		command, _ := splitCommand(in.Text())
		switch command {
		case "uci":
			fmt.Println("id name Fake")
			if manners != "chess" {
				fmt.Println("option name UCI_Variant type combo default chess var chess var crazyhouse")
			}
			fmt.Println("option name Hash type spin default 16 min 1 max 64\noption name Clear Hash type button\nuciok")
		case "isready":
			fmt.Println("readyok")
		case "go":
			fakeGo(manners)
		case "stop":
			if manners == "slow" {
				fmt.Println("bestmove e2e4")
			}
		case "setoption":
			fmt.Fprintln(os.Stderr, in.Text())
		case "quit":
			return
		}
	}
}

func fakeGo(manners string) {
	switch manners {
	case "crash":
		fmt.Fprintln(os.Stderr, "out of luck")
		os.Exit(3)
	case "exit":
		os.Exit(0)
	case "illegal":
		fmt.Println("bestmove Q@e4")
	case "speechless":
		fmt.Println("bestmove")
	case "garbage":
		fmt.Println("info depth\ninfo depth x score cp nodes -3 pv\nbestmov e2e4\n\x00\xff\n" +
			strings.Repeat("long ", maxLine) + "\ninfo depth 7 score cp 12 nodes 90 pv e2e4")
		fmt.Println("info depth 9 multipv 2 score cp -99 nodes 95\ninfo string depth 99\nbestmove e2e4 ponder nonsense")
	}
}

// startGame returns a game from the start with some moves.
func startGame(t testing.TB, moves ...string) *rules.Game {
	t.Helper()
	g := rules.NewGame(rules.StartPosition())
	if err := g.PlayUCI(moves...); err != nil {
		t.Fatal(err)
	}
	return g
}
