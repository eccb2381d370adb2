package book_test

import (
	"fmt"

	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/rules"
)

// A book of two games answers the position that they share.
func ExampleBooks_Pick() {
	start := rules.StartPosition()
	counter := book.NewCounter(10)
	for _, moves := range [][]string{{"e2e4", "e7e5"}, {"e2e4", "d7d5"}} {
		g := rules.NewGame(start)
		if err := g.PlayUCI(moves...); err != nil {
			fmt.Println(err)
			return
		}
		counter.Add(&start, g.Moves(), rules.WhiteWins)
	}
	table, err := counter.Table(1, "two games")
	if err != nil {
		fmt.Println(err)
		return
	}
	first := func(int) int { return 0 } // instead of a random number
	m, ok := book.Books{table}.Pick(rules.NewGame(start), nil, first)
	fmt.Println(m.Move, m.Games, ok)
	// Output: e2e4 2 true
}
