package rules

// Checks finds the moves of a position that give check, without playing them.
type Checks struct {
	squares     [King + 1]Bitboard // from where a piece of the type checks
	discoverers Bitboard           // own pieces that alone block an own slider
	king        Square             // the opponent's
}

// Find sets the checks to those of a position.
func (c *Checks) Find(p *Position) {
	them, occupied := p.turn&1^1, p.Occupied()
	c.king = p.King(them)
	bishop, rook := BishopAttacks(c.king, occupied), RookAttacks(c.king, occupied)
	c.squares = [King + 1]Bitboard{
		Pawn: pawnAttacks[them][c.king&63], Knight: knightAttacks[c.king&63],
		Bishop: bishop, Rook: rook, Queen: bishop | rook,
	}
	c.discoverers = p.blockers(c.king, p.turn) & p.byColor[p.turn&1]
}

// Squares returns the squares from which a piece of the type, moved or dropped
// there by the side to move, checks.
func (c *Checks) Squares(t PieceType) Bitboard {
	if t > King {
		return 0
	}
	return c.squares[t]
}

// Gives reports whether a legal move of the position gives check.
func (c *Checks) Gives(p *Position, m Move) bool {
	to := m.To()
	if m.IsDrop() {
		return c.Squares(m.Dropped()).Has(to)
	}
	from := m.From()
	t := p.board[from].Type()
	if m.IsPromotion() || t == King && p.IsCastling(m) || t == Pawn && to == p.enPassant {
		return p.GivesCheck(m) // squares change that are neither from nor to
	}
	return c.Squares(t).Has(to) || c.discoverers.Has(from) && !line[c.king&63][from&63].Has(to)
}
