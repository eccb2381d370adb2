package rules_test

import (
	"errors"
	"fmt"

	"github.com/zhbot/zhbot/rules"
)

func ExampleParseFEN_pocket() {
	p, err := rules.ParseFEN("r1bqk2r/ppp2ppp/2n2n2/3p4/1b1P4/2N5/PPP1BPPP/R1BQK1NR[Pp] w KQkq - 0 7")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.FEN())
	fmt.Println(p.Pocket(rules.White).Count(rules.Pawn), "pawn in hand,", p.CountMoves(), "legal moves")
	// Output:
	// r1bqk2r/ppp2ppp/2n2n2/3p4/1b1P4/2N5/PPP1BPPP/R1BQK1NR/Pp w KQkq - 0 7
	// 1 pawn in hand, 58 legal moves
}

func ExampleSetup_Position() {
	s, err := rules.ParseSetup("P3k3/8/8/8/8/8/8/8[QQQ] w - - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = s.Position()
	fmt.Println(err)
	fmt.Println(errors.Is(err, rules.ErrNoKing))
	// Output:
	// position is not playable: no king: white needs one; pawn on the first or last rank: on a8; more pieces in hand than possible: white holds 3 of type queen, at most 2 are possible
	// true
}

func ExampleGame() {
	g := rules.NewGame(rules.StartPosition())
	err := g.PlayUCI("e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "e1g1", "g8f6", "b1c3", "c5f8", "c4f7", "e8f7", "f3g5", "f7g8")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := g.Position().ParseSAN("@f7")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Position().SAN(m))
	if err := g.Play(m); err != nil {
		fmt.Println(err)
		return
	}
	o := g.Outcome(rules.Threefold)
	fmt.Println(o.Termination, o.Result())
	// Output:
	// P@f7#
	// checkmate 1-0
}

func ExamplePosition_Divide() {
	p, err := rules.ParseFEN("4k3/8/8/8/8/8/8/4K3[N] w - - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	total := uint64(0)
	for m, n := range p.Divide(2) {
		if !m.IsDrop() {
			fmt.Println(m, n)
		}
		total += n
	}
	fmt.Println(total)
	// Output:
	// e1d1 5
	// e1f1 5
	// e1d2 5
	// e1e2 5
	// e1f2 5
	// 309
}
