package rules

import "math/bits"

// The lookup tables are filled once when the program starts and never change.
var (
	pawnAttacks   [2][64]Bitboard
	knightAttacks [64]Bitboard
	kingAttacks   [64]Bitboard
	bishopRays    [64]Bitboard // bishop attacks on an empty board
	rookRays      [64]Bitboard // rook attacks on an empty board
	queenRays     [64]Bitboard
	between       [64][64]Bitboard // squares strictly between two on a line; none if they share no line
	line          [64][64]Bitboard // the whole line through two squares; none if they share none

	linesFrom   [64]lines
	rankAttacks [8][64]uint8 // by file and the occupied ones of files b to g
)

// lines are the other squares of the lines through a square on which sliders move, but for
// its rank.
type lines struct {
	diagonal, antidiagonal, file Bitboard
}

// PawnAttacks returns the squares that a pawn of a colour attacks.
func PawnAttacks(c Color, s Square) Bitboard { return pawnAttacks[c&1][s&63] }

// KnightAttacks returns the squares a knight attacks.
func KnightAttacks(s Square) Bitboard { return knightAttacks[s&63] }

// KingAttacks returns the squares a king attacks.
func KingAttacks(s Square) Bitboard { return kingAttacks[s&63] }

// BishopAttacks returns the squares a bishop attacks, blocked by occupied.
func BishopAttacks(s Square, occupied Bitboard) Bitboard {
	l := &linesFrom[s&63]
	return lineAttacks(s, l.diagonal, occupied) | lineAttacks(s, l.antidiagonal, occupied)
}

// RookAttacks returns the squares a rook attacks, blocked by occupied.
func RookAttacks(s Square, occupied Bitboard) Bitboard {
	rank := s & 56
	return lineAttacks(s, linesFrom[s&63].file, occupied) |
		Bitboard(rankAttacks[s&7][occupied>>(rank+1)&63])<<rank
}

// lineAttacks returns the squares of a line that a slider attacks, blocked by occupied. The
// line has one square on each rank, so that it runs backwards once its bytes are reversed.
// Subtracting the slider from its blockers borrows from the nearest one above it, and so
// changes the squares up to that.
func lineAttacks(s Square, line, occupied Bitboard) Bitboard {
	blockers := uint64(occupied & line)
	above := blockers - 1<<(s&63)
	below := bits.ReverseBytes64(bits.ReverseBytes64(blockers) - 1<<(s&63^56))
	return Bitboard(above^below) & line
}

// QueenAttacks returns the squares a queen attacks, blocked by occupied.
func QueenAttacks(s Square, occupied Bitboard) Bitboard {
	return BishopAttacks(s, occupied) | RookAttacks(s, occupied)
}

// Attacks returns the squares that a piece attacks from a square.
func Attacks(pc Piece, s Square, occupied Bitboard) Bitboard {
	switch pc.Type() {
	case Pawn:
		return PawnAttacks(pc.Color(), s)
	case Knight:
		return KnightAttacks(s)
	case Bishop:
		return BishopAttacks(s, occupied)
	case Rook:
		return RookAttacks(s, occupied)
	case Queen:
		return QueenAttacks(s, occupied)
	case King:
		return KingAttacks(s)
	}
	return 0
}

// AttackersTo returns the pieces of both sides that attack a square, blocked by
// occupied.
func (p *Position) AttackersTo(s Square, occupied Bitboard) Bitboard {
	return p.sliderAttackers(s, occupied, AllSquares) |
		pawnAttacks[Black][s&63]&p.Pieces(White, Pawn) |
		pawnAttacks[White][s&63]&p.Pieces(Black, Pawn) |
		knightAttacks[s&63]&p.byType[Knight] |
		kingAttacks[s&63]&p.byType[King]
}

// sliderAttackers returns the sliders of a set that attack a square, blocked by occupied.
func (p *Position) sliderAttackers(s Square, occupied, set Bitboard) (attackers Bitboard) {
	queens := p.byType[Queen]
	if diagonal := (p.byType[Bishop] | queens) & set; bishopRays[s&63]&diagonal != 0 {
		attackers = BishopAttacks(s, occupied) & diagonal
	}
	if straight := (p.byType[Rook] | queens) & set; rookRays[s&63]&straight != 0 {
		attackers |= RookAttacks(s, occupied) & straight
	}
	return attackers
}

// Attacked reports whether a side attacks a square, blocked by occupied.
func (p *Position) Attacked(by Color, s Square, occupied Bitboard) bool {
	them := p.byColor[by&1]
	queens := p.byType[Queen]
	if pawnAttacks[by&1^1][s&63]&p.byType[Pawn]&them != 0 ||
		knightAttacks[s&63]&p.byType[Knight]&them != 0 ||
		kingAttacks[s&63]&p.byType[King]&them != 0 {
		return true
	}
	diagonal := (p.byType[Bishop] | queens) & them
	if bishopRays[s&63]&diagonal != 0 && BishopAttacks(s, occupied)&diagonal != 0 {
		return true
	}
	straight := (p.byType[Rook] | queens) & them
	return rookRays[s&63]&straight != 0 && RookAttacks(s, occupied)&straight != 0
}

func init() {
	for s := range Square(64) {
		knightAttacks[s] = leaperAttacks(s,
			[][2]int{{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}})
		kingAttacks[s] = leaperAttacks(s,
			[][2]int{{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}})
		pawnAttacks[White][s] = leaperAttacks(s, [][2]int{{-1, 1}, {1, 1}})
		pawnAttacks[Black][s] = leaperAttacks(s, [][2]int{{-1, -1}, {1, -1}})
		linesFrom[s] = lines{
			diagonal:     sliderAttacks(s, [][2]int{{1, 1}, {-1, -1}}, 0),
			antidiagonal: sliderAttacks(s, [][2]int{{1, -1}, {-1, 1}}, 0),
			file:         FileBB(s.File()) &^ s.Bit(),
		}
		bishopRays[s] = linesFrom[s].diagonal | linesFrom[s].antidiagonal
		rookRays[s] = linesFrom[s].file | RankBB(s.Rank())&^s.Bit()
		queenRays[s] = bishopRays[s] | rookRays[s]
	}
	for file := range Square(8) {
		for occupied := range Bitboard(64) {
			rankAttacks[file][occupied] = uint8(sliderAttacks(file, [][2]int{{1, 0}, {-1, 0}}, occupied<<1))
		}
	}
	for a := range Square(64) {
		for b := range Square(64) {
			for _, attacks := range []func(Square, Bitboard) Bitboard{BishopAttacks, RookAttacks} {
				if attacks(a, 0).Has(b) {
					line[a][b] = attacks(a, 0)&attacks(b, 0) | a.Bit() | b.Bit()
					between[a][b] = attacks(a, b.Bit()) & attacks(b, a.Bit())
				}
			}
		}
	}
}

func onBoard(file, rank int) bool { return file >= 0 && file < 8 && rank >= 0 && rank < 8 }

func leaperAttacks(s Square, steps [][2]int) (set Bitboard) {
	for _, d := range steps {
		if f, r := s.File()+d[0], s.Rank()+d[1]; onBoard(f, r) {
			set |= SquareAt(f, r).Bit()
		}
	}
	return set
}

func sliderAttacks(s Square, steps [][2]int, occupied Bitboard) (set Bitboard) {
	for _, d := range steps {
		for f, r := s.File()+d[0], s.Rank()+d[1]; onBoard(f, r); f, r = f+d[0], r+d[1] {
			set |= SquareAt(f, r).Bit()
			if occupied.Has(SquareAt(f, r)) {
				break
			}
		}
	}
	return set
}
