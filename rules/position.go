package rules

// Position is a playable crazyhouse position. It is a plain value: copy it
// freely. Make one with [StartPosition] or [ParseFEN].
type Position struct {
	byType   [8]Bitboard // squares by piece type, both colours; [0] is unused
	byColor  [2]Bitboard
	board    [64]Piece
	promoted Bitboard // pieces that were pawns and go to a pocket as pawns
	pockets  [2]Pocket
	key      uint64
	checkers Bitboard // enemy pieces giving check to the side to move

	turn      Color
	castling  CastlingRights
	enPassant Square // NoSquare unless an en-passant capture is legal
	rule50    uint16 // half-moves since a pawn move, pawn drop, capture or promotion
	fullmove  uint16
}

// CastlingRights is a set of castling possibilities.
type CastlingRights uint8

// The four castling possibilities.
const (
	WhiteKingside CastlingRights = 1 << iota
	WhiteQueenside
	BlackKingside
	BlackQueenside
)

// Turn returns the side to move.
func (p *Position) Turn() Color { return p.turn }

// Key returns the Zobrist key: equal keys mean (except for a chance of 1 in
// 2^64) the same pieces, pockets, promoted marks, castling rights,
// en-passant possibility and side to move.
func (p *Position) Key() uint64 { return p.key }

// PieceAt returns the piece on a square, NoPiece if it is empty.
func (p *Position) PieceAt(s Square) Piece { return p.board[s&63] }

// Occupied returns all squares with a piece.
func (p *Position) Occupied() Bitboard { return p.byColor[White] | p.byColor[Black] }

// ByColor returns the squares with pieces of one side.
func (p *Position) ByColor(c Color) Bitboard { return p.byColor[c&1] }

// ByType returns the squares with pieces of one type, both sides.
func (p *Position) ByType(t PieceType) Bitboard { return p.byType[t&7] }

// Pieces returns the squares with pieces of one side and type.
func (p *Position) Pieces(c Color, t PieceType) Bitboard { return p.byColor[c&1] & p.byType[t&7] }

// Promoted returns the squares of promoted pieces, of both sides.
func (p *Position) Promoted() Bitboard { return p.promoted }

// Pocket returns the pieces a side has in hand.
func (p *Position) Pocket(c Color) Pocket { return p.pockets[c&1] }

// InHand returns the number of pieces in both pockets.
func (p *Position) InHand() int { return p.pockets[White].Total() + p.pockets[Black].Total() }

// King returns the square of a side's king.
func (p *Position) King(c Color) Square { return p.Pieces(c, King).First() }

// Checkers returns the enemy pieces that give check to the side to move.
func (p *Position) Checkers() Bitboard { return p.checkers }

// InCheck reports whether the side to move is in check.
func (p *Position) InCheck() bool { return p.checkers != 0 }

// Castling returns the remaining castling rights.
func (p *Position) Castling() CastlingRights { return p.castling }

// EnPassant returns the square a pawn may capture en passant on, NoSquare
// unless such a capture is legal.
func (p *Position) EnPassant() Square { return p.enPassant }

// Fullmove returns the move number: 1 at the start, incremented after Black's move.
func (p *Position) Fullmove() int { return int(p.fullmove) }

// IsCapture reports whether a legal move captures, en passant included.
func (p *Position) IsCapture(m Move) bool {
	if m.IsDrop() {
		return false
	}
	return p.byColor[p.turn^1].Has(m.To()) || p.isEnPassant(m)
}

// IsCastling reports whether a legal move castles.
func (p *Position) IsCastling(m Move) bool {
	return !m.IsDrop() && p.byColor[p.turn].Has(m.To())
}

func (p *Position) isEnPassant(m Move) bool {
	return m.To() == p.enPassant && p.board[m.From()].Type() == Pawn
}

// Moved returns the type of the piece that a legal move moves or drops.
func (p *Position) Moved(m Move) PieceType {
	if m.IsDrop() {
		return m.Dropped()
	}
	return p.board[m.From()].Type()
}

// Captured returns the type of the piece a legal move captures as it stands on
// the board, NoPieceType if it captures none.
func (p *Position) Captured(m Move) PieceType {
	switch {
	case m.IsDrop() || p.IsCastling(m):
		return NoPieceType
	case p.isEnPassant(m):
		return Pawn
	}
	return p.board[m.To()].Type()
}

// Board returns the piece on each square. It must not be changed.
func (p *Position) Board() *[64]Piece { return &p.board }
