package rules

import "slices"

// LegalMoves returns every legal move, none if the position is checkmate or
// stalemate. The slice is the caller's. [Position.Generate] does the same without
// allocating.
func (p *Position) LegalMoves() []Move {
	var l MoveList
	p.Generate(&l, All)
	return slices.Clone(l.Moves())
}

// IsLegal reports whether a move is legal. The move may be any bit pattern, so that one
// from a transposition table can be tested without generating moves.
func (p *Position) IsLegal(m Move) bool {
	t := p.targets()
	if m.IsDrop() {
		return p.isLegalDrop(m, &t)
	}
	from, to := m.From(), m.To()
	pc := p.board[from]
	if pc == NoPiece || pc.Color() != p.turn {
		return false
	}
	switch pc.Type() {
	case Pawn:
		return p.isLegalPawnMove(m, &t)
	case King:
		return m>>12 == 0 && (t.kingMoves(p, to.Bit()) != 0 || p.castlingTargets().Has(to))
	}
	squares := Attacks(pc, from, p.Occupied()) & t.evasion &^ p.byColor[p.turn&1]
	return m>>12 == 0 && t.unpinned(from, squares).Has(to)
}

func (p *Position) isLegalDrop(m Move, t *targets) bool {
	pt, squares := m.Dropped(), p.dropTargets(t)
	if pt == Pawn {
		squares &^= backRanks
	}
	return pt >= Pawn && pt <= Queen && p.pockets[p.turn&1].Has(pt) &&
		m == NewDrop(pt, m.To()) && squares.Has(m.To())
}

func (p *Position) isLegalPawnMove(m Move, t *targets) bool {
	from, to := m.From(), m.To()
	promoted := m >> 12
	if onLast := backRanks.Has(to); onLast != (promoted != 0) ||
		onLast && (promoted < Move(Knight) || promoted > Move(Queen)) {
		return false
	}
	if to == p.enPassant {
		return p.enPassantCapturers(to).Has(from)
	}
	moves := p.pawnMoves(t, All)
	switch int(to) - int(from) {
	case moves.forward:
		return moves.single.Has(to)
	case 2 * moves.forward:
		return moves.double.Has(to)
	case moves.forward - 1:
		return moves.west.Has(to) && from.File() > 0
	case moves.forward + 1:
		return moves.east.Has(to) && from.File() < 7
	}
	return false
}

// CountMoves returns the number of legal moves without listing them.
func (p *Position) CountMoves() int {
	t := p.targets()
	n := t.kingMoves(p, AllSquares).Count()
	if t.evasion == 0 {
		return n
	}
	return n + p.castlingTargets().Count() + p.countPieces(&t) + p.countPawns(&t) + p.countDrops(&t)
}

// HasLegalMove reports whether the side to move has any legal move.
func (p *Position) HasLegalMove() bool {
	t := p.targets()
	return t.evasion != 0 && (p.countDrops(&t) != 0 || p.countPieces(&t) != 0 || p.countPawns(&t) != 0) ||
		t.kingMoves(p, AllSquares) != 0 // a king that can castle can also step towards the rook
}

// IsCheckmate reports whether the side to move is in check and has no legal move,
// not even the drop of a piece in between.
func (p *Position) IsCheckmate() bool { return p.InCheck() && !p.HasLegalMove() }

// IsStalemate reports whether the side to move has no legal move, and is not in
// check.
func (p *Position) IsStalemate() bool { return !p.InCheck() && !p.HasLegalMove() }

// distinctTypes returns how many different types a pocket holds.
func distinctTypes(pocket Pocket) int {
	const low = 0x7f7f7f7f7f7f7f7f
	return Bitboard((uint64(pocket) + low) &^ low).Count()
}

func (p *Position) countDrops(t *targets) (n int) {
	if pocket := p.pockets[p.turn&1]; pocket != 0 {
		squares := p.dropTargets(t)
		n = squares.Count() * distinctTypes(pocket&^0xffff)
		if pocket.Has(Pawn) {
			n += (squares &^ backRanks).Count()
		}
	}
	return n
}

func (p *Position) countPieces(t *targets) (n int) {
	own, occupied := p.byColor[p.turn&1], p.Occupied()
	squares := t.evasion &^ own
	for b := own & p.byType[Knight] &^ t.pinned; b != 0; {
		n += (knightAttacks[b.Pop()&63] & squares).Count()
	}
	for b := own & (p.byType[Bishop] | p.byType[Queen]); b != 0; {
		from := b.Pop()
		n += t.unpinned(from, BishopAttacks(from, occupied)&squares).Count()
	}
	for b := own & (p.byType[Rook] | p.byType[Queen]); b != 0; {
		from := b.Pop()
		n += t.unpinned(from, RookAttacks(from, occupied)&squares).Count()
	}
	return n
}

func (p *Position) countPawns(t *targets) int {
	m := p.pawnMoves(t, All)
	n := m.single.Count() + m.double.Count() + m.west.Count() + m.east.Count() +
		3*((m.single&backRanks).Count()+(m.west&backRanks).Count()+(m.east&backRanks).Count())
	if p.enPassant != NoSquare {
		n += p.enPassantCapturers(p.enPassant).Count()
	}
	return n
}

// Checks tells which moves of one position give check, without playing them. It
// answers for all moves of a position faster than [Position.GivesCheck] does for each.
type Checks struct {
	squares     [King + 1]Bitboard // from where a piece of the type checks
	discoverers Bitboard           // own pieces that alone block an own slider
	pinned      Bitboard           // the opponent's that do
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
	blockers := p.blockers(c.king, p.turn)
	c.discoverers, c.pinned = blockers&p.byColor[p.turn&1], blockers&p.byColor[them]
}

// Squares returns the squares from which a piece of the type, moved or dropped
// there by the side to move, checks.
func (c *Checks) Squares(t PieceType) Bitboard {
	if t > King {
		return 0
	}
	return c.squares[t]
}

// Pinned returns the opponent's pieces that may only move on a line with their king.
func (c *Checks) Pinned() Bitboard { return c.pinned }

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
	var next Position
	p.PlayInto(m, &next)
	return next.checkers != 0
}
