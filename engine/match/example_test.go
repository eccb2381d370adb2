package match_test

import (
	"context"
	"fmt"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/match"
	"github.com/zhbot/zhbot/engine/uci"
)

// With 20 times the nodes, an engine beats itself.
func ExampleRun() {
	var twin match.Side
	if err := twin.UseSelf("twin", uci.DefaultOptions(engine.Options{Threads: 1, HashMB: 1}), 1); err != nil {
		fmt.Println(err)
		return
	}
	summary, err := match.Run(context.Background(), match.Config{
		Engine:   match.Side{Start: twin.Start, Limit: match.Limit{Nodes: 2000}},
		Opponent: match.Side{Start: twin.Start, Limit: match.Limit{Nodes: 100}},
		Games:    4,
		Openings: match.RandomOpenings(1),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("games:", summary.Games, "won more than lost:", summary.Wins > summary.Losses)
	// Output: games: 4 won more than lost: true
}

// The Elo difference is undefined while all pairs have ended alike, as they do when an
// engine plays itself at fixed nodes.
func ExamplePentanomial_Elo() {
	fmt.Println(match.Pentanomial{10, 20, 20, 30, 20}.Elo())
	fmt.Println(match.Pentanomial{0, 0, 100, 0, 0}.Elo())
	// Output:
	// +52.5 [+8.9, +97.8]
	// undefined
}
