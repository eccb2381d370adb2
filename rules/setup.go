package rules

// Setup is anything a FEN can say, playable or not.
type Setup struct {
	Board     [64]Piece
	Promoted  Bitboard
	Pockets   [2]Pocket
	Turn      Color
	Castling  CastlingRights
	EnPassant Square // NoSquare if none
	Halfmove  int
	Fullmove  int
}

// Position returns the playable position, or a *SetupError with every reason
// why there is none.
func (s *Setup) Position() (Position, error) { panic("soon") }

// Setup returns the position as an unvalidated setup.
func (p *Position) Setup() Setup { panic("soon") }
