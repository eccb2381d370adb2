package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// frameOf returns the frame of a position as the main search prepares it.
func frameOf(t *testing.T, fen string) *frame {
	t.Helper()
	f := &frame{pos: *newGame(t, fen).Position()}
	f.checks.Find(&f.pos)
	f.findAttacks()
	return f
}

func TestSafeties(t *testing.T) {
	const fen = "7k/8/3q4/8/2p5/8/1P1r1P2/7K[BQ] w - - 0 1"
	tests := []struct {
		move string
		want safety
	}{
		{"B@a8", safe},
		{"B@a6", undefended},
		{"B@g3", defended}, // by a pawn, against the queen
		{"B@b3", outclassed},
		{"B@d3", outclassed}, // by the pawn, not only by queen and rook
		{"Q@f4", outclassed}, // or by a queen,
		{"Q@c2", outclassed},
		{"h1g1", safe}, // a legal move of the king always is
		{"b2b3", undefended},
		{"f2f4", undefended}, // the only defender moves
	}
	f := frameOf(t, fen)
	for _, test := range tests {
		m := fixture.Move(t, &f.pos, test.move)
		safeties := findSafeties(f, m)
		if got := safeties.at(m.To()); got != test.want {
			t.Errorf("%s: got %d, want %d", test.move, got, test.want)
		}
	}
}

// Two moves of the same piece, or drops of one type, where one thing makes the first better.
func TestQuietPrior(t *testing.T) {
	tests := []struct{ name, fen, better, worse string }{
		{"a check", "4k3/8/8/8/8/8/8/4K2R w - - 0 1", "h1h8", "h1h7"},
		{"a threat to a rook", "k7/8/8/8/8/8/p7/r1b4K[B] w - - 0 1", "B@d4", "B@d3"},
		{"a pawn that attacks a knight", "k7/pp6/1n6/8/8/8/8/7K[P] w - - 0 1", "P@c5", "P@d5"},
		{"an attack on an undefended knight", "k7/8/8/8/3n4/8/8/7K[R] w - - 0 1", "R@h4", "R@h5"},
		{"a guard of a hanging knight", "k7/8/8/8/r2N4/8/8/7K[B] w - - 0 1", "B@e3", "B@d3"},
		{"a flight from a pawn", "k7/8/8/2p5/3N4/8/8/7K[] w - - 0 1", "d4f3", "d4e6"},
		{"a drop near the opponent's king", "k7/8/8/8/8/8/8/K7[N] w - - 0 1", "N@c6", "N@h6"},
		{"a drop near the own king", "k7/8/8/8/8/8/8/K7[B] w - - 0 1", "B@b1", "B@h2"},
		{"castling", "4k3/8/8/8/8/8/8/4K2R[] w K - 0 1", "e1g1", "e1f1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := frameOf(t, test.fen)
			score := func(text string) int32 {
				m := fixture.Move(t, &f.pos, text)
				q := newQuietPrior(f, new(DefaultParameters()))
				q.selectGroup(m)
				return q.score(m.To())
			}
			if better, worse := score(test.better), score(test.worse); better <= worse {
				t.Errorf("%s has %d, %s %d", test.better, better, test.worse, worse)
			}
		})
	}
}

func TestSquaresAttacking(t *testing.T) {
	p := newGame(t, "k7/8/8/3p4/8/8/8/2r4K[NBRP] w - - 0 1").Position()
	targets := p.ByColor(rules.Black) &^ p.ByType(rules.King)
	for piece, want := range map[rules.PieceType]string{
		rules.Pawn:   "c4 e4",
		rules.Knight: "a2 b3 c3 d3 e2 e3 b4 f4 b6 f6 c7 e7",
		rules.King:   "b1 d1 b2 c2 d2 c4 d4 e4 c5 e5 c6 d6 e6",
	} {
		var got []string
		for squares := squaresAttacking(p, piece, targets); squares != 0; {
			got = append(got, squares.Pop().String())
		}
		wanted := strings.Fields(want)
		slices.Sort(got)
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			t.Errorf("%v: got %v, want %v", piece, got, wanted)
		}
	}
}
