package book

import (
	_ "embed" // the random numbers
	"encoding/binary"

	"github.com/zhbot/zhbot/rules"
)

// polyglotNumbers holds the 781 numbers of the Polyglot format, big-endian: 768 for a piece
// on a square, 4 for castling rights, 8 for en passant files, and 1 for White to move.
//
//go:embed polyglot.random
var polyglotNumbers []byte

// polyglotRandom returns a number of the format.
func polyglotRandom(i int) uint64 { return binary.BigEndian.Uint64(polyglotNumbers[8*i:]) }

// The offsets of the numbers for the parts of a position.
const (
	polyglotCastling  = 768
	polyglotEnPassant = 772
	polyglotTurn      = 780
)

// polyglotKey returns the key of the Polyglot format, without pockets and promoted pieces.
//
// The format includes the file of a pawn that has just moved two squares if an enemy pawn
// stands beside it, even a pinned one; package rules only has legal en passant squares.
// With a pinned pawn, the position is not found.
func polyglotKey(p *rules.Position) (key uint64) {
	for occupied := p.Occupied(); occupied != 0; {
		s := occupied.Pop()
		key ^= polyglotRandom(64*polyglotPiece(p.PieceAt(s)) + int(s))
	}
	for i := range 4 { // in the order of the format
		if p.Castling()>>i&1 != 0 {
			key ^= polyglotRandom(polyglotCastling + i)
		}
	}
	if s := p.EnPassant(); s != rules.NoSquare {
		key ^= polyglotRandom(polyglotEnPassant + s.File())
	}
	if p.Turn() == rules.White {
		key ^= polyglotRandom(polyglotTurn)
	}
	return key
}

// polyglotPiece returns the number of a piece: black before white, from pawn to king.
func polyglotPiece(pc rules.Piece) int {
	n := 2 * int(pc.Type()-rules.Pawn)
	if pc.Color() == rules.White {
		n++
	}
	return n
}
