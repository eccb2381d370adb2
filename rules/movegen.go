package rules

// GenKind chooses which legal moves to generate.
type GenKind uint8

// The kinds of moves. Captures and Quiets together are All.
const (
	All      GenKind = iota // every legal move
	Captures                // captures, en passant and every promotion
	Quiets                  // the rest: quiet board moves, castling, drops
	Board                   // quiet board moves and castling, no drops
	Drops                   // drops only
)

// Generate appends the legal moves of a kind to the list.
func (p *Position) Generate(l *MoveList, kind GenKind) { panic("soon") }

// CountMoves returns the number of legal moves without listing them.
func (p *Position) CountMoves() int { panic("soon") }

// HasLegalMove reports whether the side to move has any legal move.
func (p *Position) HasLegalMove() bool { panic("soon") }

// IsLegal reports whether any bit pattern is a legal move here, so that a
// move from a transposition table can be tested without generating.
func (p *Position) IsLegal(m Move) bool { panic("soon") }

// GivesCheck reports whether a legal move checks the opponent.
func (p *Position) GivesCheck(m Move) bool { panic("soon") }

// CheckSquares returns the squares from which a piece of the type, placed
// there by the side to move, would check the opponent's king.
func (p *Position) CheckSquares(t PieceType) Bitboard { panic("soon") }
