package rules

import "fmt"

// Square is one of the 64 squares, a1 = 0, b1 = 1, … h8 = 63.
type Square uint8

// NoSquare stands for the absence of a square.
const NoSquare Square = 64

// The squares of the back ranks, which castling needs by name.
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

// FlipRank returns the square mirrored top to bottom, as the other side sees it.
func (s Square) FlipRank() Square { return s ^ 56 }

// FlipFile returns the square mirrored left to right.
func (s Square) FlipFile() Square { return s ^ 7 }

// String returns the name of the square, "-" for NoSquare.
func (s Square) String() string {
	if s >= NoSquare {
		return "-"
	}
	return string([]byte{'a' + byte(s&7), '1' + byte(s>>3)})
}
