package rules

import "strings"

// Color is a side.
type Color uint8

// The two sides.
const (
	White Color = iota
	Black
)

// Other returns the opponent.
func (c Color) Other() Color { return c ^ 1 }

// String returns "white" or "black".
func (c Color) String() string {
	if c == White {
		return "white"
	}
	return "black"
}

// PieceType is a kind of piece without its colour.
type PieceType uint8

// The kinds of piece. Pawn to Queen are those that a pocket can hold.
const (
	NoPieceType PieceType = iota
	Pawn
	Knight
	Bishop
	Rook
	Queen
	King
)

const pieceLetters = ".PNBRQK"

// Letter returns the piece's letter in upper case, as UCI drops and SAN write it.
func (t PieceType) Letter() byte { return pieceLetters[t] }

// String returns the English name.
func (t PieceType) String() string {
	return [...]string{"none", "pawn", "knight", "bishop", "rook", "queen", "king"}[t]
}

// pieceTypeOf returns the piece type of a letter in either case, NoPieceType for others.
func pieceTypeOf(letter rune) PieceType {
	return PieceType(strings.IndexRune("pnbrqk", letter|0x20) + 1)
}

// Piece is a piece with its colour: the type in the low three bits, the
// colour in the fourth.
type Piece uint8

// NoPiece is an empty square.
const NoPiece Piece = 0

// PieceOf returns the piece of a colour and type.
func PieceOf(c Color, t PieceType) Piece { return Piece(c)<<3 | Piece(t) }

// Type returns the piece's type, NoPieceType for NoPiece.
func (p Piece) Type() PieceType { return PieceType(p & 7) }

// Color returns the piece's side. It is meaningless for NoPiece.
func (p Piece) Color() Color { return Color(p >> 3) }

// Letter returns the FEN letter: upper case for White, lower case for Black.
func (p Piece) Letter() byte {
	return p.Type().Letter() | byte(p.Color())<<5
}

// Pocket counts the pieces that one side holds in hand, one byte for each
// type: byte t counts pieces of [PieceType] t. Pockets are
// comparable; the zero value is empty.
type Pocket uint64

// PocketLimit returns how many pieces of a type one side can hold at most in a
// game from the start position.
func PocketLimit(t PieceType) int { return [...]int{0, 16, 4, 4, 4, 2, 0, 0}[t&7] }

// Count returns how many pieces of the type are in hand.
func (p Pocket) Count(t PieceType) int { return int(p >> (t & 7 * 8) & 0xff) }

// Has reports whether a piece of the type is in hand.
func (p Pocket) Has(t PieceType) bool { return p.Count(t) != 0 }

// Total returns the number of pieces in hand.
func (p Pocket) Total() int { return int(p * 0x0101010101010101 >> 56) }

// With returns the pocket with one more piece of the type.
func (p Pocket) With(t PieceType) Pocket { return p + 1<<(t&7*8) }

// Without returns the pocket with one piece of the type less. The pocket must
// have one.
func (p Pocket) Without(t PieceType) Pocket { return p - 1<<(t&7*8) }
