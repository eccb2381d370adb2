package external

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/zhbot/zhbot/rules"
)

// fakeCECP is an engine that speaks CECP. It rejects illegal moves and plays the first
// legal one, unless its behaviour says otherwise.
func fakeCECP(behavior string, in *bufio.Scanner) {
	e := fakeCECPEngine{behavior: behavior, game: rules.NewGame(rules.StartPosition())}
	fmt.Println("Fake engine, version 1")
	for in.Scan() && in.Text() != "quit" {
		command, rest, _ := strings.Cut(in.Text(), " ")
		e.execute(command, rest)
	}
}

type fakeCECPEngine struct {
	behavior string
	game     *rules.Game
	setup    string // commands that set clocks, options and positions
}

func (e *fakeCECPEngine) execute(command, rest string) {
	switch command {
	case "protover":
		e.sendFeatures()
	case "ping":
		fmt.Println("pong", rest)
	case "new":
		e.game = rules.NewGame(rules.StartPosition())
	case "usermove":
		if err := e.game.PlayUCI(rest); err != nil || e.behavior == "rejects-moves" {
			fmt.Println("Illegal move:", rest)
		}
	case "level", "time", "otim", "st", "sd", "setboard", "option", "memory":
		e.setup += command + " " + rest + "; "
	case "go":
		e.answerGo()
	case "?":
		if e.behavior == "slow" {
			e.play()
		}
	}
}

func (e *fakeCECPEngine) sendFeatures() {
	fmt.Println(`feature ping=1 setboard=1 usermove=1 san=0 myname="Fake 1.0"`)
	switch e.behavior {
	case "chess":
		fmt.Println(`feature variants="normal,suicide"`)
	case "san":
		fmt.Println(`feature variants="crazyhouse" san=1`)
	case "no-ping":
		fmt.Println(`feature variants="crazyhouse" ping=0`)
	case "no-setboard":
		fmt.Println(`feature variants="crazyhouse" setboard=0`)
	default:
		fmt.Println(`feature variants="normal,crazyhouse" memory=1 option="King Safety -spin 5 0 9"`)
	}
	fmt.Println("feature colors=0 done=1")
}

func (e *fakeCECPEngine) answerGo() {
	switch e.behavior {
	case "hang", "slow":
	case "crash":
		fmt.Fprintln(os.Stderr, "bus error")
		syscall.Exit(1)
	case "illegal":
		fmt.Println("move N@f6")
	case "resigns":
		fmt.Println("resign")
	case "reports-loss":
		fmt.Println("0-1 {Black Mates}")
	case "claims-draw":
		fmt.Println("1/2-1/2 {50 move rule}")
	case "prints-thinking":
		fmt.Println(" 2     147     0       59  Nf3 !!\ntellics whisper 1 2 3 4\n10. -31 12 4321 e4\nNodes: 7")
		e.play()
	case "prints-commands":
		fmt.Println("# " + e.setup)
		fmt.Println("resign")
	default:
		e.play()
	}
}

func (e *fakeCECPEngine) play() {
	m := e.game.Position().LegalMoves()[0]
	fmt.Println("move", e.game.Position().UCI(m))
	if err := e.game.Play(m); err != nil {
		panic(err)
	}
}
