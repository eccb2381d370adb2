package book

import (
	"math/bits"

	"github.com/zhbot/zhbot/rules"
)

// Where the numbers for the parts of a position begin.
const (
	polyglotCastling  = 768
	polyglotEnPassant = 772
	polyglotTurn      = 780
)

// polyglotKey returns the key of the Polyglot book format. Pockets and promoted
// marks are not in it.
//
// The format has the file of a pawn that has just moved two squares in it when an
// enemy pawn stands beside, even if that one is pinned; we know of en passant
// only when it is legal. Where it is not, the position is not found.
func polyglotKey(p *rules.Position) (key uint64) {
	for occupied := p.Occupied(); occupied != 0; {
		s := occupied.Pop()
		key ^= polyglotRandom[64*polyglotPiece(p.PieceAt(s))+int(s)]
	}
	for i, right := range []rules.CastlingRights{rules.WhiteKingside, rules.WhiteQueenside, rules.BlackKingside, rules.BlackQueenside} {
		if p.Castling()&right != 0 {
			key ^= polyglotRandom[polyglotCastling+i]
		}
	}
	if s := p.EnPassant(); s != rules.NoSquare {
		key ^= polyglotRandom[polyglotEnPassant+s.File()]
	}
	if p.Turn() == rules.White {
		key ^= polyglotRandom[polyglotTurn]
	}
	return key
}

// polyglotPiece numbers the pieces: black before white, from pawn to king.
func polyglotPiece(pc rules.Piece) int {
	n := 2 * int(pc.Type()-rules.Pawn)
	if pc.Color() == rules.White {
		n++
	}
	return n
}

// xboardVariant is XBoard's number of crazyhouse, and xboardTurn by how much it
// turns a number for squares beyond the board, of which the pockets are one.
const (
	xboardVariant = 6
	xboardTurn    = 8
)

// xboardKey returns the key that XBoard gives a position in crazyhouse, from the
// plain one: each piece in hand is added as one on a 65th square.
func xboardKey(p *rules.Position, plain uint64) uint64 {
	key := plain ^ xboardVariant
	for _, c := range []rules.Color{rules.White, rules.Black} {
		for t := rules.Pawn; t <= rules.Queen; t++ {
			n := polyglotRandom[64*polyglotPiece(rules.PieceOf(c, t))]
			key += uint64(p.Pocket(c).Count(t)) * bits.RotateLeft64(n, xboardTurn)
		}
	}
	return key
}
