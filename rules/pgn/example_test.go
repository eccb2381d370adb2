package pgn_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

const games = `[Event "First"]
[White "zhbot"]
[Variant "Crazyhouse"]

1. e4 { [%clk 0:03:00] } d5 2. exd5 Qxd5 3. P@e4 Qa5 1-0

[Event "Second"]
[Variant "Crazyhouse"]

1. e4 Ke4 0-1
`

func ExampleReader() {
	in := pgn.NewReader(strings.NewReader(games))
	for {
		g, err := in.Next()
		var bad *pgn.GameError
		switch {
		case errors.Is(err, io.EOF):
			return
		case errors.As(err, &bad):
			fmt.Println(bad)
			continue
		case err != nil:
			fmt.Println(err)
			return
		}
		fmt.Println(g.Tag("Event"), len(g.Moves), "moves", g.Result, g.Moves[0].Clock, g.Moves[4].Move)
	}
	// Output:
	// First 6 moves 1-0 3m0s P@e4
	// PGN game 2, line 10: move 1: illegal move "Ke4" in rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR/ b KQkq - 0 1
}

func ExampleHeaders() {
	for h, err := range pgn.Headers(strings.NewReader(games)) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(h.Tag("Event"), h.Plies, "plies, the last", h.Last, h.Result)
	}
	// Output:
	// First 6 plies, the last Qa5 1-0
	// Second 2 plies, the last Ke4 0-1
}

func ExampleGame_WriteTo() {
	g := pgn.Game{Result: rules.Draw}
	g.SetTag("White", "zhbot")
	p := rules.StartPosition()
	m, err := p.ParseSAN("e4")
	if err != nil {
		fmt.Println(err)
		return
	}
	g.Moves = append(g.Moves, pgn.Move{Move: m, HasClock: true, Clock: time.Minute})
	if _, err := g.WriteTo(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// [White "zhbot"]
	//
	// 1. e4 { [%clk 0:01:00] } 1/2-1/2
}
