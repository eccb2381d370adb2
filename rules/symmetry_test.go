package rules

import "testing"

// transformed returns the position with every square mapped, and colours
// swapped if asked. Castling rights go when files are mirrored.
func transformed(tb testing.TB, p *Position, square func(Square) Square, swap bool) Position {
	tb.Helper()
	s := p.Setup()
	t := Setup{Turn: s.Turn, EnPassant: NoSquare, Halfmove: s.Halfmove, Fullmove: s.Fullmove, Pockets: s.Pockets}
	for sq, pc := range s.Board {
		if pc == NoPiece {
			continue
		}
		if swap {
			pc = PieceOf(pc.Color().Other(), pc.Type())
		}
		t.Board[square(Square(sq))] = pc
		if s.Promoted.Has(Square(sq)) {
			t.Promoted |= square(Square(sq)).Bit()
		}
	}
	if s.EnPassant != NoSquare {
		t.EnPassant = square(s.EnPassant)
	}
	if swap {
		t.Turn = s.Turn.Other()
		t.Pockets[White], t.Pockets[Black] = s.Pockets[Black], s.Pockets[White]
		t.Castling = s.Castling>>2 | s.Castling<<2&15
	}
	q, err := t.Position()
	if err != nil {
		tb.Fatalf("%s: %v", p.FEN(), err)
	}
	return q
}

func TestPerft_Symmetry(t *testing.T) {
	for _, c := range perftCases(t) {
		p := mustPosition(t, c.fen)
		plain := p.Setup()
		plain.Castling = 0
		q, err := plain.Position()
		if err != nil {
			t.Fatal(err)
		}
		flipped := transformed(t, &p, Square.FlipRank, true)
		mirrored := transformed(t, &q, Square.FlipFile, false)
		for depth := 1; depth <= 3 && depth <= len(c.counts); depth++ {
			if c.counts[depth-1] > 2_000_000 {
				break
			}
			if a, b := p.Perft(depth), flipped.Perft(depth); a != b {
				t.Errorf("%s: depth %d: %d, colours flipped %d", c.fen, depth, a, b)
			}
			if a, b := q.Perft(depth), mirrored.Perft(depth); a != b {
				t.Errorf("%s: depth %d: %d, files mirrored %d", c.fen, depth, a, b)
			}
		}
	}
}
