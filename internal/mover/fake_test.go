package mover

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/zhbot/zhbot/engine/enginetest"
	"github.com/zhbot/zhbot/rules"
)

func TestMain(m *testing.M) {
	enginetest.Serve(misbehave)
	goleak.VerifyTestMain(m)
}

// misbehave makes the test binary a program with a fault, or one that writes to a file.
func misbehave(behavior, file, command string, _ int) (pass bool) {
	if command == "" {
		begin(behavior, file)
		return false
	}
	name, _, _ := strings.Cut(command, " ")
	switch {
	case behavior == "silent":
		return name == "quit"
	case behavior == "records":
		appendLine(file, command)
	case behavior == "chess" && name == "uci":
		fmt.Println("id name Chess only\nuciok")
		return false
	case behavior == "idle-flood" && name == "ucinewgame": // once it is ready
		for text := "readyok\n"; ; text = strings.Repeat("\n", 1<<16) {
			fmt.Print(text)
		}
	case name == "go":
		return search(behavior, file)
	}
	return true
}

func begin(behavior, file string) {
	switch behavior {
	case "crash-at-start":
		enginetest.Crash("no network file")
	case "environment":
		if err := os.WriteFile(file, []byte(strings.Join(os.Environ(), "\n")), 0o600); err != nil {
			panic(err)
		}
	case "xboard":
		fakeXBoard(file)
		syscall.Exit(0)
	}
}

// search answers a search, unless it reports that the engine is to do it.
func search(behavior, file string) (pass bool) {
	switch behavior {
	case "once": // the first process crashes, later ones work
		if f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL, 0o600); err != nil {
			return true
		} else if err = f.Close(); err != nil {
			panic(err)
		}
		fallthrough
	case "crash":
		enginetest.Crash("segmentation fault")
	case "illegal":
		fmt.Println("info depth 3 score cp 5 nodes 9 pv e2e4\nbestmove a1a1")
	case "hang":
		fmt.Println("info depth 3 score cp 5 nodes 9 pv e2e4")
	case "flood":
		go func() {
			for {
				fmt.Println("info string " + strings.Repeat("noise ", 10_000))
			}
		}()
	case "late":
		time.Sleep(300 * time.Millisecond)
		fmt.Println("bestmove e2e4")
	default:
		return true
	}
	return false
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
