package engine_test

import (
	"context"
	"fmt"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/human"
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

// Several lines are reported after each depth, the best first.
func ExampleEngine_Search_multiPV() {
	g := mateInOne()
	e := engine.New(engine.Options{Threads: 1, HashMB: 1})
	limits := engine.Limits{Depth: 2, MultiPV: 2}
	_, err := e.Search(context.Background(), g, limits, func(i engine.Info) {
		if moves, ok := i.Score.MateIn(); i.Depth == 2 {
			fmt.Println("line", i.MultiPV, "mates:", ok && moves > 0)
		}
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// line 1 mates: true
	// line 2 mates: false
}

// A queen and a rook in hand that the opponent lost are worth more than five pawns.
func ExampleOpenNetwork() {
	network, err := engine.OpenNetwork("")
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := rules.ParseFEN("rnb1kbn1/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/QR w KQq - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(network.Evaluate(&p) > 500)
	// Output: true
}

// Even the lowest level plays mate in one.
func ExampleLimits_strength() {
	g := mateInOne()
	e := engine.New(engine.Options{Threads: 1, HashMB: 1})
	limits := engine.Limits{Strength: human.AtElo(human.MinElo, 1)}
	r, err := e.Search(context.Background(), g, limits, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Position().SAN(r.Move))
	// Output: N@f7#
}
