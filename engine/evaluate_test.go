package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

func position(t testing.TB, fen string) *rules.Position {
	t.Helper()
	p, err := rules.ParseFEN(fen)
	if err != nil {
		t.Fatalf("parse %q: %v", fen, err)
	}
	return &p
}

// transform returns the position with every piece moved by f, and with the colours swapped
// if swap is set. If f changes files, there must be no castling rights.
func transform(t *testing.T, p *rules.Position, f func(rules.Square) rules.Square, swap bool) *rules.Position {
	t.Helper()
	from := p.Setup()
	to := from
	to.Board, to.Promoted = [64]rules.Piece{}, 0
	for s, piece := range from.Board {
		if piece == rules.NoPiece {
			continue
		}
		c := piece.Color()
		if swap {
			c = c.Other()
		}
		at := f(rules.Square(s))
		to.Board[at] = rules.PieceOf(c, piece.Type())
		if from.Promoted.Has(rules.Square(s)) {
			to.Promoted |= at.Bit()
		}
	}
	if swap {
		to.Turn = from.Turn.Other()
		to.Pockets[0], to.Pockets[1] = from.Pockets[1], from.Pockets[0]
	}
	to.Castling, to.EnPassant = 0, rules.NoSquare // not evaluated
	q, err := to.Position()
	if err != nil {
		t.Fatalf("transform %s: %v", p.FEN(), err)
	}
	return &q
}

func TestEvaluate_ColorFlip(t *testing.T) {
	forRandomPositions(1, 4000, func(p *rules.Position) {
		q := transform(t, p, rules.Square.FlipRank, true)
		if a, b := evaluate(p), evaluate(q); a != b {
			t.Fatalf("%s: %d, with the colours flipped %d\n%s\n%s", p.FEN(), a, b, Explain(p), Explain(q))
		}
	})
}

func TestEvaluate_FileMirror(t *testing.T) {
	forRandomPositions(2, 4000, func(p *rules.Position) {
		q := transform(t, p, rules.Square.FlipFile, false)
		if a, b := evaluate(p), evaluate(q); a != b {
			t.Fatalf("%s: %d, mirrored %d\n%s\n%s", p.FEN(), a, b, Explain(p), Explain(q))
		}
	})
}

func TestEvaluate_AllocatesNothing(t *testing.T) {
	p := position(t, "r1b4r/ppp1kp1p/n1p2p2/4p3/P7/4PP2/2PNN2P/R3K2R[PNBQppbbq] w KQ - 1 14")
	if n := testing.AllocsPerRun(100, func() { evaluate(p) }); n != 0 {
		t.Errorf("evaluate allocates %v times", n)
	}
}

// TestEvaluate_Ideas compares positions that differ in one respect. White is to move, and
// the first is better for White.
func TestEvaluate_Ideas(t *testing.T) {
	tests := []struct{ name, better, worse string }{
		{
			"a knight in hand beats none",
			"r1bqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[N] w - - 0 1",
			"r1bqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w - - 0 1",
		},
		{
			"a promoted queen risks only a pawn",
			"4k3/8/8/8/3Q~4/8/8/4K3[] w - - 0 1",
			"4k3/8/8/8/3Q4/8/8/4K3[] w - - 0 1",
		},
		{
			"pawns in front of the king",
			"6k1/5ppp/8/8/8/8/5PPP/6K1[QRNqrn] w - - 0 1",
			"6k1/5ppp/8/8/8/8/PPP5/6K1[QRNqrn] w - - 0 1",
		},
		{
			"the king on the back rank",
			"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w - - 0 1",
			"rnbqkbnr/pppppppp/8/8/8/4K3/PPPPPPPP/RNBQ1BNR[] w - - 0 1",
		},
		{
			"a queen in hand against an exposed king",
			"6k1/8/8/8/8/8/PPPPPPPP/RNBQKBNR[Q] w - - 0 1",
			"6k1/5ppp/8/8/8/8/PPPPPPPP/RNBQKBNR[Q] w - - 0 1",
		},
		{
			"a pawn attacks a rook",
			"4k3/8/3r4/4P3/8/8/8/4K3[] w - - 0 1",
			"4k3/8/3r4/2p1P3/8/8/8/4K3[] w - - 0 1",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			better, worse := position(t, tt.better), position(t, tt.worse)
			if a, b := evaluate(better), evaluate(worse); a <= b {
				t.Errorf("%d is not more than %d\n%s\n%s", a, b, Explain(better), Explain(worse))
			}
		})
	}
}

// Each type of piece in the enemy's pocket increases the danger to the king.
func TestPocketDanger(t *testing.T) {
	for kind := rules.Pawn; kind <= rules.Queen; kind++ {
		letter := strings.ToLower(string(kind.Letter()))
		var with, without evaluation
		with.compute(position(t, "r4rk1/ppp2ppp/8/8/8/8/PPP2PPP/R4RK1["+letter+"] w - - 0 1"))
		without.compute(position(t, "r4rk1/ppp2ppp/8/8/8/8/PPP2PPP/R4RK1[] w - - 0 1"))
		if a, b := with.terms[rules.White][termKing], without.terms[rules.White][termKing]; a >= b {
			t.Errorf("a %s in Black's hand: White's king term %d, without %d", kind, a, b)
		}
	}
}

func TestExplain(t *testing.T) {
	p := rules.StartPosition()
	text := Explain(&p)
	for term := range termCount {
		if !strings.Contains(text, term.String()) {
			t.Errorf("no line for %s in\n%s", term, text)
		}
	}
	if want := fmt.Sprintf("Evaluation: %+d cp", evaluate(&p)); !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}

func BenchmarkEvaluate(b *testing.B) {
	var positions []rules.Position
	forRandomPositions(3, 1000, func(p *rules.Position) { positions = append(positions, *p) })
	b.ReportAllocs()
	sum := 0
	for i := 0; b.Loop(); i++ {
		sum += evaluate(&positions[i%len(positions)])
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "evals/s")
	_ = sum
}

// forRandomPositions plays random games and calls f for each of the first n positions.
func forRandomPositions(seed uint64, n int, f func(p *rules.Position)) {
	const longest = 160
	r := rand.New(rand.NewPCG(seed, seed))
	for n > 0 {
		p := rules.StartPosition()
		for range longest {
			f(&p)
			moves := p.LegalMoves()
			if n--; n == 0 || len(moves) == 0 {
				break
			}
			p = p.After(moves[r.IntN(len(moves))])
		}
	}
}
