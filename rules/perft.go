package rules

// Perft counts the leaf nodes of the legal move tree; the last ply is counted
// without being played.
func (p *Position) Perft(depth int) uint64 { panic("soon") }
