package rules

import (
	"fmt"
	"math/bits"
)

// Square is one of the 64 squares, a1 = 0, b1 = 1, … h8 = 63.
type Square uint8

// NoSquare stands for the absence of a square.
const NoSquare Square = 64

// The squares of the back ranks, which castling needs by name. [SquareAt] returns any
// square.
const (
	A1 Square = iota
	B1
	C1
	D1
	E1
	F1
	G1
	H1
	A8 Square = iota + 48
	B8
	C8
	D8
	E8
	F8
	G8
	H8
)

// SquareAt returns the square on a file and rank, both counted from 0.
func SquareAt(file, rank int) Square { return Square(rank<<3 | file) }

// ParseSquare reads a square such as "e4".
func ParseSquare(s string) (Square, error) {
	if len(s) != 2 || s[0] < 'a' || s[0] > 'h' || s[1] < '1' || s[1] > '8' {
		return NoSquare, fmt.Errorf("square %q: want a file a-h and a rank 1-8, such as e4", s)
	}
	return SquareAt(int(s[0]-'a'), int(s[1]-'1')), nil
}

// File returns the file, 0 for the a-file.
func (s Square) File() int { return int(s & 7) }

// Rank returns the rank, 0 for White's first rank.
func (s Square) Rank() int { return int(s >> 3) }

// String returns the name of the square, "-" for NoSquare.
func (s Square) String() string {
	if s >= NoSquare {
		return "-"
	}
	return string([]byte{'a' + byte(s&7), '1' + byte(s>>3)})
}

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
