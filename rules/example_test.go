package rules_test

import (
	"context"
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
	fmt.Println(err)
	fmt.Println(errors.Is(err, rules.ErrNoKing))
	// Output:
	// FEN "P3k3/8/8/8/8/8/8/8[QQQ] w - - 0 1": position is not playable: no king: white needs one; pawn on the first or last rank: on a8; more pieces in hand than possible: white holds 3 of type queen, at most 2 are possible
	// true
}

func ExamplePosition_LegalMoves() {
	p := position("k7/2Q5/8/8/8/8/8/7K[p] b - - 0 1")
	fmt.Println(p.LegalMoves()[:3]) // only the pawn in hand can move
	p = position("k7/2Q5/8/8/8/8/8/7K b - - 0 1")
	fmt.Println(p.LegalMoves(), p.IsStalemate())
	// Output:
	// [P@a2 P@b2 P@c2]
	// [] true
}

func ExamplePosition_After() {
	p := position("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
	m, err := p.ParseUCI("e4d5")
	if err != nil {
		fmt.Println(err)
		return
	}
	next := p.After(m)
	fmt.Println(next.FEN())
	fmt.Println(next.Pocket(rules.White).Count(rules.Pawn), "pawn in hand")
	// Output:
	// 4k3/8/8/3P4/8/8/8/4K3/P b - - 0 1
	// 1 pawn in hand
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

func ExamplePosition_IsCheckmate() {
	p := position("6rk/5Npp/8/8/8/8/8/4K3 b - - 0 1")
	fmt.Println(p.IsCheckmate(), p.InCheck(), p.Checkers().First())
	p = position("k6R/8/1K6/8/8/8/8/8[n] b - - 0 1") // the knight can be dropped in between
	fmt.Println(p.IsCheckmate(), len(p.LegalMoves()))
	// Output:
	// true true f7
	// false 6
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

func ExampleNewDrop() {
	p := position("4k3/8/8/8/8/8/8/4K3[Np] w - - 0 1")
	f6, err := rules.ParseSquare("f6")
	if err != nil {
		fmt.Println(err)
		return
	}
	m := rules.NewDrop(rules.Knight, f6)
	fmt.Println(m, p.IsLegal(m), p.GivesCheck(m))
	fmt.Println(p.IsLegal(rules.NewDrop(rules.Pawn, f6))) // the pawn is Black's
	// Output:
	// N@f6 true true
	// false
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

func ExampleGame_Outcome() {
	g := rules.NewGame(rules.StartPosition())
	for range 2 {
		if err := g.PlayUCI("g1f3", "g8f6", "f3g1", "f6g8"); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(g.Repetitions(), "times")
	fmt.Println("with a BOT:", g.Outcome(rules.Threefold).Termination)
	fmt.Println("among people:", g.Outcome(rules.Fivefold).Termination)
	// Output:
	// 3 times
	// with a BOT: threefold repetition
	// among people: ongoing
}

func ExamplePosition_Divide() {
	p := position("4k3/8/8/8/8/8/8/4K3[N] w - - 0 1")
	total := uint64(0)
	for m, n := range p.Divide(context.Background(), 2) {
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
