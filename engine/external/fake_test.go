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

	"github.com/zhbot/zhbot/engine/enginetest"
	"github.com/zhbot/zhbot/engine/uci"
)

func TestMain(m *testing.M) {
	enginetest.Serve(misbehave)
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
	p, err := StartProcess(ctx, enginetest.Command(t, behavior))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// linuxFakes are behaviours for tests that only Linux has, given the address of the test.
var linuxFakes = map[string]func(address string){}

// misbehave makes the test binary an engine with a fault, or a program that is none.
func misbehave(behavior, address, command string, _ int) (pass bool) {
	name, _, _ := strings.Cut(command, " ")
	switch {
	case name == "":
		begin(behavior, address)
	case behavior == "silent":
		return name == "quit"
	case name == "uci" && behavior == "chess":
		fmt.Println("id name Fake\nuciok")
		return false
	case name == "go":
		return fakeGo(behavior)
	case name == "stop" && behavior == "slow":
		fmt.Println("bestmove g1f3")
	}
	return true
}

// begin is a program that speaks no UCI.
func begin(behavior, address string) {
	if fake := linuxFakes[behavior]; fake != nil {
		fake(address)
	}
	if kind, ok := strings.CutPrefix(behavior, "cecp-"); ok {
		fakeCECP(kind, bufio.NewScanner(os.Stdin))
		syscall.Exit(0)
	}
	switch behavior {
	case "environment":
		fmt.Println(strings.Join(os.Environ(), "\n"))
		syscall.Exit(0)
	case "ignores-input":
		fmt.Println("ignoring input")
		time.Sleep(time.Hour) // it is killed before
	}
}

// flood writes without end, until that of its input.
func flood(kind string, in io.Reader, out io.WriteCloser) {
	go func() {
		_, _ = io.Copy(io.Discard, in)
		_ = out.Close()
	}()
	text := map[string]string{
		"blank": strings.Repeat("\n", 4096), "word": strings.Repeat("info ", 1000),
		"lines": strings.Repeat("info string noise\n", 200), "feature": strings.Repeat("feature a=1\n", 300),
		"noise":   "info string " + strings.Repeat("noise ", 10_000) + "\n",
		"long":    strings.Repeat("long ", uci.MaxLine) + "\n",
		"options": "option name %d type string default " + strings.Repeat("x", 1000) + "\n",
		"names":   "option name %d\n",
	}[kind]
	for n, err := 0, error(nil); err == nil; n++ {
		_, err = io.WriteString(out, strings.ReplaceAll(text, "%d", strconv.Itoa(n)))
	}
}

// fakeGo answers a search, unless it reports that the engine is to do it.
func fakeGo(behavior string) (pass bool) {
	switch behavior {
	case "hang":
		fmt.Println("info depth 1 score cp 10 nodes 20 pv d2d4")
	case "slow":
	case "crash":
		enginetest.Crash("out of luck")
	case "exit":
		syscall.Exit(0)
	case "illegal":
		fmt.Println("bestmove Q@e4")
	case "no-move":
		fmt.Println("bestmove")
	case "flood":
		flood("noise", os.Stdin, os.Stdout)
		syscall.Exit(0)
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
	default:
		return true
	}
	return false
}
