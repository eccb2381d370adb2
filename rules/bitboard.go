package rules

import "math/bits"

// Bitboard is a set of squares, bit n for [Square] n.
type Bitboard uint64

// Files, ranks and the whole board.
const (
	FileA Bitboard = 0x0101010101010101
	FileH Bitboard = FileA << 7
	Rank1 Bitboard = 0xff
	Rank8 Bitboard = Rank1 << 56

	AllSquares Bitboard = ^Bitboard(0)
	backRanks           = Rank1 | Rank8
)

// Bit returns the set that holds only the square.
func (s Square) Bit() Bitboard { return 1 << (s & 63) }

// FileBB returns the squares of a file, counted from 0.
func FileBB(file int) Bitboard { return FileA << uint(file&7) }

// RankBB returns the squares of a rank, counted from 0.
func RankBB(rank int) Bitboard { return Rank1 << uint(rank&7*8) }

// Has reports whether the square is in the set.
func (b Bitboard) Has(s Square) bool { return b>>(s&63)&1 != 0 }

// Count returns the number of squares in the set.
func (b Bitboard) Count() int { return bits.OnesCount64(uint64(b)) }

// First returns the lowest square of a set that is not empty.
func (b Bitboard) First() Square { return Square(bits.TrailingZeros64(uint64(b))) }

// Pop removes the lowest square of a set that is not empty, and returns it.
func (b *Bitboard) Pop() Square {
	s := b.First()
	*b &= *b - 1
	return s
}

// MoreThanOne reports whether the set holds more than one square.
func (b Bitboard) MoreThanOne() bool { return b&(b-1) != 0 }

// FlipRanks returns the set mirrored top to bottom.
func (b Bitboard) FlipRanks() Bitboard { return Bitboard(bits.ReverseBytes64(uint64(b))) }
