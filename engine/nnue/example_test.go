package nnue_test

import (
	"fmt"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/rules"
)

// An evaluator follows a line move by move, with the same scores as from scratch.
func ExampleEvaluator() {
	network := nnue.Default()
	e := nnue.NewEvaluator(network, 2)
	p := rules.StartPosition()
	e.Reset(&p)
	var attacks nnue.Attacks
	for ply, text := range []string{"e2e4", "d7d5"} {
		m, err := p.ParseUCI(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		e.Play(ply, &p, m)
		p = p.After(m)
		attacks.Find(&p)
		fmt.Println(text, e.Evaluate(ply+1, &p, &attacks) == network.Evaluate(&p))
	}
	// Output:
	// e2e4 true
	// d7d5 true
}
