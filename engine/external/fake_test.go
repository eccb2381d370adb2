package external

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/uci"
)

// TestMain makes the test binary a fake engine when its arguments are "fake-engine" and a
// behaviour. Such a program ends by syscall.Exit: os.Exit would first write coverage, or a
// warning.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "fake-engine" {
		fakeEngine(os.Args[2])
		syscall.Exit(0)
	}
	os.Exit(m.Run())
}

// startFake starts the test binary as an engine.
func startFake(t *testing.T, behavior string) *Process {
	t.Helper()
	return startFakeFor(t.Context(), t, behavior)
}

// startFakeFor is startFake with a context that may end before the test.
func startFakeFor(ctx context.Context, t *testing.T, behavior string) *Process {
	t.Helper()
	p, err := StartProcess(ctx, fakeLine(behavior))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// fakeLine returns the command line of the test binary as an engine.
func fakeLine(behavior string) string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("'%s' fake-engine %s", self, behavior)
}

// linuxFakes are behaviours for tests that only Linux has, given the address of the test.
var linuxFakes = map[string]func(address string){}

// fakeEngine is a misbehaving engine on standard input and output.
func fakeEngine(behavior string) {
	if name, address, ok := strings.Cut(behavior, ":"); ok {
		linuxFakes[name](address)
		return
	}
	in := bufio.NewScanner(os.Stdin)
	if kind, ok := strings.CutPrefix(behavior, "cecp-"); ok {
		fakeCECP(kind, in)
		return
	}
	switch behavior {
	case "zhbot":
		server := uci.Server{Version: "test", Options: engine.Options{Threads: 1, HashMB: 1}}
		if err := server.Run(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return
	case "silent":
		for in.Scan() {
		}
		return
	case "environment":
		fmt.Println(strings.Join(os.Environ(), "\n"))
		return
	case "ignores-input":
		fmt.Println("ignoring input")
		time.Sleep(time.Hour) // it is killed before
	}
	for in.Scan() {
		command, _, _ := strings.Cut(in.Text(), " ")
		switch command {
		case "uci":
			fmt.Println("id name Fake")
			if kind, ok := strings.CutPrefix(behavior, "handshake-"); ok {
				flood(kind)
			}
			if behavior != "chess" {
				fmt.Println("option name UCI_Variant type combo default chess var chess var crazyhouse")
			}
			fmt.Println("option name Hash type spin default 16 min 1 max 64\noption name Clear Hash type button\nuciok")
		case "isready":
			fmt.Println("readyok")
			if kind, ok := strings.CutPrefix(behavior, "idle-"); ok {
				time.Sleep(10 * time.Millisecond) // the engine is idle
				flood(kind)
			}
		case "go":
			fakeGo(behavior)
		case "stop":
			if behavior == "slow" {
				fmt.Println("bestmove e2e4")
			}
		case "setoption":
			fmt.Fprintln(os.Stderr, in.Text())
		case "quit":
			return
		}
	}
}

// flood writes until the end of its input: without end, but for 2000 short options.
func flood(kind string) {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		syscall.Exit(0)
	}()
	text := map[string]string{
		"blank": "\n", "word": "info ", "lines": "info string noise\n", "noise": "info string " + strings.Repeat("noise ", 1000) + "\n", "feature": "feature a=1\n",
		"long": strings.Repeat("long ", uci.MaxLine) + "\n", "options": "option name %d type string default " + strings.Repeat("x", 1000) + "\n",
	}[kind]
	for n := 0; ; n++ {
		if kind == "names" && n < 2000 {
			fmt.Printf("option name %d\n", n)
		} else if _, err := fmt.Print(strings.ReplaceAll(text, "%d", strconv.Itoa(n))); err != nil {
			syscall.Exit(1)
		}
	}
}

func fakeGo(behavior string) {
	switch behavior {
	case "crash":
		fmt.Fprintln(os.Stderr, "out of luck")
		syscall.Exit(3)
	case "exit":
		syscall.Exit(0)
	case "illegal":
		fmt.Println("bestmove Q@e4")
	case "no-move":
		fmt.Println("bestmove")
	case "flood":
		flood("noise")
	case "lines":
		fmt.Println("info depth 1 score cp 10 nodes 20 pv d2d4\n" +
			"info depth 2 multipv 2 score cp 90 nodes 25 pv a2a3\n" +
			"info depth 2 score cp 11 lowerbound nodes 30 pv d2d4\n" +
			"info depth 2 score cp 12 nodes 40 pv e2e4 e7e5 P@e4 g1f3\n" +
			"info depth 3 score cp 99 nodes 50 pv P@e4\n" +
			"info depth 3 score cp 98 nodes 60\n" +
			"info nodes 70 nps 9\n" +
			"bestmove e2e4 ponder e7e5")
	case "other-move":
		fmt.Println("info depth 1 score cp 10 nodes 20 pv d2d4\nbestmove e2e4 ponder e2e4")
	case "garbage":
		fmt.Println("info depth\ninfo depth x score cp nodes -3 pv\nbestmov e2e4\n\x00\xff\n" +
			strings.Repeat("long ", uci.MaxLine) + "\ninfo depth 7 score cp 12 nodes 90 pv e2e4")
		fmt.Println("info depth 9 multipv 2 score cp -99 nodes 95\ninfo string depth 99\nbestmove e2e4 ponder nonsense")
	}
}
