package engine

import "github.com/zhbot/zhbot/rules"

// quietPrior scores the quiet moves of one piece, or the drops of one type, by the position
// alone: what a move is worth before the histories know anything of it.
type quietPrior struct {
	kind               int   // of the piece
	origin             int32 // what the safety of the origin adds
	safeties           safeties
	checks             rules.Bitboard // from where the piece gives check
	threats            rules.Bitboard // from where it attacks a more valuable piece
	undefended         rules.Bitboard // from where it attacks a piece that nothing defends
	guards             rules.Bitboard // from where it defends a hanging piece
	threatBonus        int32
	enemyKing, ownKing rules.Square
}

// newQuietPrior returns the prior of the quiet moves at a node that have the origin of m.
func newQuietPrior(f *frame, m rules.Move) quietPrior {
	p, t := &f.pos, f.pos.Moved(m)
	us, them := p.Turn(), p.Turn().Other()
	ours, theirs := &f.attacks[us&1], &f.attacks[them&1]
	enemies := p.ByColor(them) &^ p.ByType(rules.King)
	endangered := p.ByColor(us) & theirs.All &^ ours.All
	q := quietPrior{
		kind:      pieceKind(p, m),
		safeties:  findSafeties(f, m),
		checks:    f.checks.Squares(t),
		enemyKing: p.King(them), ownKing: p.King(us),
		threatBonus: int32(threatBonus),
	}
	if t == rules.Pawn {
		q.threatBonus = int32(pawnThreatBonus)
	}
	if !m.IsDrop() {
		origin := q.safeties
		origin.defended = ours.All
		q.origin = originWeights[q.kind][origin.at(m.From())]
		endangered &^= m.From().Bit()
	}
	q.threats = squaresAttacking(p, t, moreValuable(p, t, enemies))
	q.undefended = squaresAttacking(p, t, enemies&^theirs.All)
	q.guards = squaresAttacking(p, t, endangered)
	return q
}

// score returns the prior of the move to a square, in the units of the histories.
func (q *quietPrior) score(to rules.Square) int32 {
	s := q.safeties.at(to)
	score := q.origin + targetWeights[q.kind][s] +
		enemyKingWeights[q.kind][distance(q.enemyKing, to)] + ownKingWeights[q.kind][distance(q.ownKing, to)]
	if q.checks.Has(to) {
		score += int32(checkBonus)
	}
	if q.guards.Has(to) {
		score += int32(guardBonus)
	}
	if s == safe || s == defended {
		if q.threats.Has(to) {
			score += q.threatBonus
		}
		if q.undefended.Has(to) {
			score += int32(undefendedBonus)
		}
	}
	return score
}

// moreValuable returns those of some pieces that are more valuable than one of a type.
func moreValuable(p *rules.Position, t rules.PieceType, pieces rules.Bitboard) rules.Bitboard {
	switch t {
	case rules.Pawn:
		return pieces &^ p.ByType(rules.Pawn)
	case rules.Knight, rules.Bishop:
		return pieces & (p.ByType(rules.Rook) | p.ByType(rules.Queen))
	case rules.Rook:
		return pieces & p.ByType(rules.Queen)
	}
	return 0
}

// squaresAttacking returns the squares from which a piece of the side to move attacks any
// of the targets.
func squaresAttacking(p *rules.Position, t rules.PieceType, targets rules.Bitboard) (squares rules.Bitboard) {
	for pc, occupied := rules.PieceOf(p.Turn().Other(), t), p.Occupied(); targets != 0; {
		squares |= rules.Attacks(pc, targets.Pop(), occupied)
	}
	return squares
}

// safety says what the opponent can do to a piece on a square.
type safety uint8

const (
	safe       safety = iota // nothing
	defended                 // capture it, and be captured there
	undefended               // capture it for nothing
	outclassed               // capture it with a less valuable piece, or with a queen
	safetyCount
)

// safeties knows the safety of every square for one kind of piece.
type safeties struct {
	attacked, attackedByLess, defended rules.Bitboard
}

// findSafeties finds the safety of a moved or dropped piece.
func findSafeties(f *frame, m rules.Move) safeties {
	us := f.pos.Turn() & 1
	ours, theirs := &f.attacks[us], &f.attacks[us^1]
	s := safeties{attacked: theirs.All, defended: ours.All}
	if !m.IsDrop() {
		s.defended = ours.Twice // by another piece than the one that moves
	}
	switch f.pos.Moved(m) {
	case rules.Knight, rules.Bishop:
		s.attackedByLess = theirs.Pawns
	case rules.Rook:
		s.attackedByLess = theirs.Pawns | theirs.Knights | theirs.Diagonals
	case rules.Queen:
		s.attackedByLess = theirs.Pawns | theirs.Knights | theirs.Diagonals | theirs.Straights
	case rules.King:
		s.attacked = 0
	}
	return s
}

func (s *safeties) at(square rules.Square) safety {
	switch {
	case !s.attacked.Has(square):
		return safe
	case s.attackedByLess.Has(square):
		return outclassed
	case s.defended.Has(square):
		return defended
	}
	return undefended
}
