package rules

// ParseUCI reads a legal move: e2e4, e7e8q, N@f7, castling as e1h1 or e1g1.
func (p *Position) ParseUCI(s string) (Move, error) { panic("soon") }

// UCI writes a legal move with castling as e1g1, as UCI programs expect. Use
// [Move.String] for Lichess's form, e1h1.
func (p *Position) UCI(m Move) string { panic("soon") }
