package engine_test

import (
	"context"
	"fmt"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// mateInOne is a position in which a knight dropped from the pocket mates a smothered king.
func mateInOne() *rules.Game {
	p, err := rules.ParseFEN("6rk/6pp/8/8/8/8/8/K7/N w - - 0 1")
	if err != nil {
		panic(err)
	}
	return rules.NewGame(p)
}

func ExampleEngine_Search() {
	g := mateInOne()
	e := engine.New(engine.Options{Threads: 1, HashMB: 1})
	r, err := e.Search(context.Background(), g, engine.Limits{Depth: 4}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Position().SAN(r.Move), r.Info.Score)
	// Output: N@f7# mate 1
}
