package rules

// StartPosition returns the start of a game.
func StartPosition() Position { panic("soon") }

// ParseFEN reads a playable position in any of the usual crazyhouse notations.
func ParseFEN(fen string) (Position, error) { panic("soon") }

// ParseSetup reads a FEN without asking whether it is playable.
func ParseSetup(fen string) (Setup, error) { panic("soon") }

// FEN writes the position as Lichess does.
func (p *Position) FEN() string { panic("soon") }
