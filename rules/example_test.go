package rules_test

import (
	"errors"
	"fmt"

	"github.com/zhbot/zhbot/rules"
)

// position returns the position of a FEN that is known to be playable.
func position(fen string) rules.Position {
	p, err := rules.ParseFEN(fen)
	if err != nil {
		panic(err)
	}
	return p
}

// Scholar's mate, from the start position to the end of the game.
func Example() {
	g := rules.NewGame(rules.StartPosition())
	for _, san := range []string{"e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7#"} {
		m, err := g.Position().ParseSAN(san)
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := g.Play(m); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(g.Position().FEN())
	fmt.Println(g.Outcome(rules.Threefold).Termination)
	// Output:
	// r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR/P b KQkq - 0 4
	// checkmate
}

func ExampleParseFEN() {
	p, err := rules.ParseFEN("r1bqk2r/ppp2ppp/2n2n2/3p4/1b1P4/2N5/PPP1BPPP/R1BQK1NR[Pp] w KQkq - 0 7")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.FEN()) // as Lichess writes it: the pockets after a ninth slash
	fmt.Println(p.Turn(), "to move,", p.CountMoves(), "legal moves")

	_, err = rules.ParseFEN("r1bqk2r/ppp2ppp/2n2n2 w KQkq - 0 7")
	fmt.Println(err)
	// Output:
	// r1bqk2r/ppp2ppp/2n2n2/3p4/1b1P4/2N5/PPP1BPPP/R1BQK1NR/Pp w KQkq - 0 7
	// white to move, 58 legal moves
	// not a crazyhouse FEN "r1bqk2r/ppp2ppp/2n2n2 w KQkq - 0 7": board: 3 ranks, want 8 between slashes
}

func ExampleUnplayableError() {
	_, err := rules.ParseFEN("P3k3/8/8/8/8/8/8/8[QQQ] w - - 0 1")
	if bad, ok := errors.AsType[*rules.UnplayableError](err); ok {
		for _, reason := range bad.Reasons {
			fmt.Println(reason)
		}
	}
	// Output:
	// no king: white needs one
	// pawn on the first or last rank: on a8
}

// A captured queen that was a pawn goes to the pocket as a pawn.
func ExamplePosition_Promoted() {
	p := position("1Q~2k3/1r6/8/8/8/8/8/4K3 b - - 0 1")
	fmt.Println("promoted:", p.Promoted().First())
	m, err := p.ParseSAN("Rxb8")
	if err != nil {
		fmt.Println(err)
		return
	}
	p = p.After(m)
	fmt.Println(p.FEN())
	// Output:
	// promoted: b8
	// 1r2k3/8/8/8/8/8/8/4K3/p w - - 0 2
}

func ExamplePosition_SAN() {
	p := position("6rk/6pp/8/8/8/8/8/4K2R[NP] w K - 0 1")
	for _, uci := range []string{"N@f7", "P@e4", "e1h1"} {
		m, err := p.ParseUCI(uci)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(m, p.UCI(m), p.SAN(m))
	}
	_, err := p.ParseSAN("Nf7")
	fmt.Println(err, errors.Is(err, rules.ErrIllegalMove))
	// Output:
	// N@f7 N@f7 N@f7#
	// P@e4 P@e4 P@e4
	// e1h1 e1g1 O-O
	// illegal move "Nf7" in 6rk/6pp/8/8/8/8/8/4K2R/PN w K - 0 1 true
}
