package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/rules"
)

func TestThreatSquares(t *testing.T) {
	tests := []struct {
		name, fen string
		piece     rules.PieceType
		drop      bool
		want      string // squares
	}{
		{"an undefended pawn", "k7/8/8/3p4/8/8/8/7K[N] w - - 0 1", rules.Knight, true, "c3 e3 b4 f4 b6 f6 c7 e7"},
		{"a defended pawn", "k7/8/4p3/3p4/8/8/8/7K[N] w - - 0 1", rules.Knight, true, "d4 f4 c5 g5 c7 g7 d8 f8"},
		{"a rook by a bishop", "k7/8/8/8/8/8/8/2r4K[B] w - - 0 1", rules.Bishop, true, "b2 d2 a3 e3 f4 g5 h6"},
		{"a queen by a rook, defended there by the king", "7k/8/8/8/8/8/8/q6K[R] w - - 0 1", rules.Rook, true, "g1"},
		{"squares that a pawn attacks, defended or not", "7k/8/8/8/3p4/8/1P1r1P2/7K[B] w - - 0 1", rules.Bishop, true, "c1 e1 b4 f4 a5 g5 h6"},
		{"a drop that a pawn defends against a knight", "7k/8/8/3n4/8/8/1P1r1P2/7K[B] w - - 0 1", rules.Bishop, true, "c1 e1 c3 e3 a5 g5 h6"},
		{"a move there by what may be the only defender", "7k/8/8/3n4/8/8/1P1r1P2/7K[B] w - - 0 1", rules.Bishop, false, "c1 e1 a5 g5 h6"},
		{"a king is no target", "7k/8/8/8/8/8/8/7K[R] w - - 0 1", rules.Rook, true, ""},
		{"a defended rook by a pawn", "k7/pp6/1r6/8/8/8/8/7K[P] w - - 0 1", rules.Pawn, true, "a5 c5"},
		{"a defended rook is no target of a queen", "k7/pp6/1r6/8/8/8/8/7K[Q] w - - 0 1", rules.Queen, true, ""},
		{"a king threatens nothing", "7k/8/8/3p4/8/8/8/7K[] w - - 0 1", rules.King, false, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newGame(t, test.fen).Position()
			var attacks nnue.Attacks
			attacks.Find(p)
			var got []string
			for squares := threatSquares(p, &attacks, test.piece, test.drop); squares != 0; {
				got = append(got, squares.Pop().String())
			}
			if want := strings.Fields(test.want); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}
