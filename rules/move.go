package rules

import "slices"

// Move is a move or drop in 16 bits. It is only meaningful together with the
// position it is played in.
//
//	bits  0-5   to
//	bits  6-11  from; 0 for a drop
//	bits 12-14  promotion: the piece type it becomes; drop: the type dropped
//	bit  15     drop
//
// Castling is the king taking its own rook (e1h1), as Lichess writes it. En
// passant is a pawn's move to the en-passant square.
type Move uint16

// NoMove is the zero Move (a1 to a1), which is never legal.
const NoMove Move = 0

// MaxMoves bounds the number of legal moves in a position. The most
// known to be reachable with 32 pieces is 456.
const MaxMoves = 640

const dropFlag Move = 1 << 15

// NewMove returns the move of a piece, castling as king takes rook.
func NewMove(from, to Square) Move { return Move(from)<<6 | Move(to) }

// NewPromotion returns a pawn's move to the last rank, where it becomes t.
func NewPromotion(from, to Square, t PieceType) Move {
	return Move(t)<<12 | Move(from)<<6 | Move(to)
}

// NewDrop returns the drop of a piece from the pocket.
func NewDrop(t PieceType, to Square) Move { return dropFlag | Move(t)<<12 | Move(to) }

// To returns the square the piece arrives on; for castling the rook's square.
func (m Move) To() Square { return Square(m & 63) }

// From returns the square the piece leaves. It is meaningless for a drop.
func (m Move) From() Square { return Square(m >> 6 & 63) }

// IsDrop reports whether the move drops a piece from the pocket.
func (m Move) IsDrop() bool { return m >= dropFlag }

// IsPromotion reports whether a pawn promotes.
func (m Move) IsPromotion() bool { return m < dropFlag && m>>12 != 0 }

// Promotion returns the type that a pawn becomes, NoPieceType if it does not.
func (m Move) Promotion() PieceType {
	if m.IsDrop() {
		return NoPieceType
	}
	return PieceType(m >> 12)
}

// Dropped returns the type that is dropped, NoPieceType if none is.
func (m Move) Dropped() PieceType {
	if !m.IsDrop() {
		return NoPieceType
	}
	return PieceType(m >> 12 & 7)
}

// String returns the move as Lichess writes it in UCI: e2e4, e7e8q, N@f7,
// castling as e1h1, "0000" for NoMove.
func (m Move) String() string {
	if m == NoMove {
		return "0000"
	}
	return string(m.appendUCI(nil))
}

func (m Move) appendUCI(b []byte) []byte {
	if m.IsDrop() {
		b = append(b, m.Dropped().Letter(), '@')
		return append(b, m.To().String()...)
	}
	b = append(b, m.From().String()...)
	b = append(b, m.To().String()...)
	if t := m.Promotion(); t != NoPieceType {
		b = append(b, t.Letter()|0x20)
	}
	return b
}

// MoveList is a move list with a fixed capacity, so that generating moves
// allocates nothing. Adding more than MaxMoves moves panics: no position has
// so many.
type MoveList struct {
	moves [MaxMoves]Move
	n     int
}

// Len returns the number of moves.
func (l *MoveList) Len() int { return l.n }

// At returns move i.
func (l *MoveList) At(i int) Move { return l.moves[:l.n][i] }

// Moves returns the moves as a slice into the list, valid until it changes.
func (l *MoveList) Moves() []Move { return l.moves[:l.n] }

// Clear empties the list.
func (l *MoveList) Clear() { l.n = 0 }

// Has reports whether the move is in the list.
func (l *MoveList) Has(m Move) bool { return slices.Contains(l.Moves(), m) }

// Add appends a move.
func (l *MoveList) Add(m Move) {
	l.moves[l.n] = m
	l.n++
}
