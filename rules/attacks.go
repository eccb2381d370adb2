package rules

import (
	_ "embed" // the factors
	"encoding/binary"
	"math/bits"
)

//go:generate go test -run TestMagicFactors . -update

// magicFactors holds the factors of rooks, then of bishops, as little-endian numbers by
// square, which TestMagicFactors searches for.
//
//go:embed magics.bin
var magicFactors []byte

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

	bishopMagics [64]magic
	rookMagics   [64]magic
	sliderTable  [bishopEntries + rookEntries]Bitboard
)

// The table sizes: the sum over all squares of 2 to the number of squares that
// can block.
const (
	bishopEntries = 5248
	rookEntries   = 102400
)

// magic maps the blockers of a slider on one square to its entry of
// sliderTable: the blockers times a factor hold a perfect hash in their upper
// bits.
type magic struct {
	mask   Bitboard
	factor uint64
	offset uint32
	shift  uint32
}

func (m *magic) index(occupied Bitboard) uint64 {
	return uint64(m.offset) + uint64(occupied&m.mask)*m.factor>>(m.shift&63)
}

// PawnAttacks returns the squares that a pawn of a colour attacks.
func PawnAttacks(c Color, s Square) Bitboard { return pawnAttacks[c&1][s&63] }

// KnightAttacks returns the squares a knight attacks.
func KnightAttacks(s Square) Bitboard { return knightAttacks[s&63] }

// KingAttacks returns the squares a king attacks.
func KingAttacks(s Square) Bitboard { return kingAttacks[s&63] }

// BishopAttacks returns the squares a bishop attacks, blocked by occupied.
func BishopAttacks(s Square, occupied Bitboard) Bitboard {
	return sliderTable[bishopMagics[s&63].index(occupied)]
}

// RookAttacks returns the squares a rook attacks, blocked by occupied.
func RookAttacks(s Square, occupied Bitboard) Bitboard {
	return sliderTable[rookMagics[s&63].index(occupied)]
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

// AttackedSquares returns the squares that a side attacks.
func (p *Position) AttackedSquares(by Color) Bitboard {
	own, occupied := p.byColor[by&1], p.Occupied()
	attacked := pawnsAttack(by&1, own&p.byType[Pawn]) | kingAttacks[p.King(by)&63]
	for b := own & p.byType[Knight]; b != 0; {
		attacked |= knightAttacks[b.Pop()&63]
	}
	for b := own & (p.byType[Bishop] | p.byType[Queen]); b != 0; {
		attacked |= BishopAttacks(b.Pop(), occupied)
	}
	for b := own & (p.byType[Rook] | p.byType[Queen]); b != 0; {
		attacked |= RookAttacks(b.Pop(), occupied)
	}
	return attacked
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
	offset := uint32(0)
	for s := range Square(64) {
		knightAttacks[s] = leaperAttacks(s, [][2]int{{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}})
		kingAttacks[s] = leaperAttacks(s, [][2]int{{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}})
		pawnAttacks[White][s] = leaperAttacks(s, [][2]int{{-1, 1}, {1, 1}})
		pawnAttacks[Black][s] = leaperAttacks(s, [][2]int{{-1, -1}, {1, -1}})
		bishopRays[s] = sliderAttacks(s, bishopSteps, 0)
		rookRays[s] = sliderAttacks(s, rookSteps, 0)
		queenRays[s] = bishopRays[s] | rookRays[s]
		bishopMagics[s], offset = fillMagic(s, bishopSteps, magicFactor(64+int(s)), offset)
		rookMagics[s], offset = fillMagic(s, rookSteps, magicFactor(int(s)), offset)
	}
	for a := range Square(64) {
		for b := range Square(64) {
			switch {
			case bishopRays[a].Has(b):
				line[a][b] = bishopRays[a]&bishopRays[b] | a.Bit() | b.Bit()
				between[a][b] = sliderAttacks(a, bishopSteps, b.Bit()) & sliderAttacks(b, bishopSteps, a.Bit())
			case rookRays[a].Has(b):
				line[a][b] = rookRays[a]&rookRays[b] | a.Bit() | b.Bit()
				between[a][b] = sliderAttacks(a, rookSteps, b.Bit()) & sliderAttacks(b, rookSteps, a.Bit())
			}
		}
	}
}

var (
	bishopSteps = [][2]int{{1, 1}, {1, -1}, {-1, -1}, {-1, 1}}
	rookSteps   = [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}
)

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

func magicFactor(i int) uint64 { return binary.LittleEndian.Uint64(magicFactors[8*i:]) }

// fillMagic fills the entries of one square from an offset on and returns the
// offset after them.
func fillMagic(s Square, steps [][2]int, factor uint64, offset uint32) (magic, uint32) {
	edges := (Rank1|Rank8)&^RankBB(s.Rank()) | (FileA|FileH)&^FileBB(s.File())
	mask := sliderAttacks(s, steps, 0) &^ edges
	m := magic{mask, factor, offset, uint32(64 - bits.OnesCount64(uint64(mask)))}
	for blockers := Bitboard(0); ; {
		sliderTable[m.index(blockers)] = sliderAttacks(s, steps, blockers)
		if blockers = (blockers - mask) & mask; blockers == 0 {
			break
		}
	}
	return m, offset + 1<<bits.OnesCount64(uint64(mask))
}
