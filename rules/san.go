package rules

// ParseSAN reads a legal move: Nf3, exd5, e8=Q+, O-O, N@f7#, @e4.
func (p *Position) ParseSAN(s string) (Move, error) { panic("soon") }

// SAN writes a legal move with check and mate marks.
func (p *Position) SAN(m Move) string { panic("soon") }
