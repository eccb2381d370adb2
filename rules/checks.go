package rules

// Checks tells which moves of one position give check, without playing them. It
// answers for all moves of a position faster than [Position.GivesCheck] does for each.
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

// GivesCheck reports whether a legal move checks the opponent.
func (p *Position) GivesCheck(m Move) bool {
	if m.IsDrop() {
		return Attacks(PieceOf(p.turn^1, m.Dropped()), p.King(p.turn^1), p.Occupied()).Has(m.To())
	}
	from, to := m.From(), m.To()
	if p.isEnPassant(m) || p.IsCastling(m) {
		var next Position
		p.PlayInto(m, &next)
		return next.checkers != 0
	}
	us, king := p.turn, p.King(p.turn^1)
	landed := p.board[from]
	if m.IsPromotion() {
		landed = PieceOf(us, m.Promotion())
	}
	if landed.Type() == King {
		landed = NoPiece
	}
	occupied := p.Occupied()&^from.Bit() | to.Bit()
	if Attacks(landed, to, occupied).Has(king) {
		return true
	}
	if !queenRays[king&63].Has(from) {
		return false
	}
	own, queens := p.byColor[us&1]&^from.Bit(), p.byType[Queen]
	return BishopAttacks(king, occupied)&own&(p.byType[Bishop]|queens) != 0 ||
		RookAttacks(king, occupied)&own&(p.byType[Rook]|queens) != 0
}
