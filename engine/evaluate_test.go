package engine

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

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

// flipped returns the position as the other side sees it: with its ranks in reverse order and
// the colours swapped.
func flipped(t *testing.T, p *rules.Position) *rules.Position {
	t.Helper()
	board, _, _ := strings.Cut(p.FEN(), " ")
	ranks := strings.Split(board, "/")
	slices.Reverse(ranks[:8])
	swapped := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			r ^= 0x20
		}
		return r
	}, strings.Join(ranks, "/"))
	return position(t, fmt.Sprintf("%s %c", swapped, "bw"[p.Turn()]))
}

// mirrored returns the position with its files in reverse order.
func mirrored(t *testing.T, p *rules.Position) *rules.Position {
	t.Helper()
	board, _, _ := strings.Cut(p.FEN(), " ")
	ranks := strings.Split(board, "/")
	for i, rank := range ranks[:8] {
		squares := regexp.MustCompile(".~?").FindAllString(rank, -1)
		slices.Reverse(squares)
		ranks[i] = strings.Join(squares, "")
	}
	return position(t, fmt.Sprintf("%s %c", strings.Join(ranks, "/"), "wb"[p.Turn()]))
}

func TestEvaluate_ColorFlip(t *testing.T) {
	forRandomPositions(1, 4000, func(p *rules.Position) {
		q := flipped(t, p)
		if a, b := evaluate(p), evaluate(q); a != b {
			t.Fatalf("%s: %d, with the colours flipped %d\n%s\n%s", p.FEN(), a, b, Explain(p), Explain(q))
		}
	})
}

func TestEvaluate_FileMirror(t *testing.T) {
	forRandomPositions(2, 4000, func(p *rules.Position) {
		q := mirrored(t, p)
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
