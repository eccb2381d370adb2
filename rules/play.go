package rules

// PlayInto writes the position after a legal move to next. The move is not
// checked; next must not be p itself.
func (p *Position) PlayInto(m Move, next *Position) { panic("soon") }

// PlayNullInto writes the position after passing to next. The side to move
// must not be in check.
func (p *Position) PlayNullInto(next *Position) { panic("soon") }

// Play returns the position after a move, or an error if the move is illegal.
func (p *Position) Play(m Move) (Position, error) { panic("soon") }
