package engine

import "github.com/zhbot/zhbot/rules"

// quietPrior scores the quiet moves of a node by the position alone: what a move is worth
// before the histories know anything of it.
type quietPrior struct {
	f          *frame
	params     *Parameters
	endangered rules.Bitboard // own pieces that are attacked and not defended
	// attacks holds what each type of piece attacks from where, once that is found.
	attacks            [rules.King + 1]quietAttacks
	enemyKing, ownKing *[64]uint8 // distances to the kings

	checkBonus, guardBonus, undefendedBonus int32 // the parameters, which each move needs

	// The rest is of one group: the moves of a piece, or the drops of a type.
	kind                                int
	origin                              int32 // what the safety of the origin adds
	safeties                            safeties
	checks, threats, undefended, guards rules.Bitboard
	threatBonus                         int32
}

// quietAttacks are the squares from which a type of piece attacks a more valuable piece, and
// one that nothing defends, and those from which it defends a hanging one.
type quietAttacks struct {
	known                       bool
	threats, undefended, guards rules.Bitboard
}

// newQuietPrior returns the prior of a node, whose attacks and checks must be known.
func newQuietPrior(f *frame, params *Parameters) quietPrior {
	p := &f.pos
	us := p.Turn()
	ours, theirs := &f.attacks[us&1], &f.attacks[us&1^1]
	return quietPrior{
		f: f, params: params, endangered: p.ByColor(us) & theirs.All &^ ours.All,
		enemyKing: &distances[p.King(us.Other())&63], ownKing: &distances[p.King(us)&63],
		checkBonus: int32(params.CheckBonus), guardBonus: int32(params.GuardBonus),
		undefendedBonus: int32(params.UndefendedBonus),
	}
}

// selectGroup makes the prior that of the moves with the origin of m.
func (q *quietPrior) selectGroup(m rules.Move) {
	f := q.f
	p, t := &f.pos, f.pos.Moved(m)
	q.kind = pieceKind(p, m)
	q.safeties = findSafeties(f, m)
	q.checks = f.checks.Squares(t)
	attacks := q.attacksOf(t)
	// Where the piece is lost, so are its threats.
	notLost := ^q.safeties.attacked | q.safeties.defended&^q.safeties.attackedByLess
	q.threats, q.undefended, q.guards = attacks.threats&notLost, attacks.undefended&notLost, attacks.guards
	q.threatBonus, q.origin = int32(q.params.ThreatBonus), 0
	if t == rules.Pawn {
		q.threatBonus = int32(q.params.PawnThreatBonus)
	}
	if !m.IsDrop() {
		origin := q.safeties
		origin.defended = f.attacks[p.Turn()&1].All
		q.origin = originWeights[q.kind][origin.at(m.From())]
		if q.endangered.Has(m.From()) { // it does not guard itself
			q.guards = squaresAttacking(p, t, q.endangered&^m.From().Bit())
		}
	}
}

// attacksOf returns what a type of piece attacks from where.
func (q *quietPrior) attacksOf(t rules.PieceType) *quietAttacks {
	a := &q.attacks[t]
	if !a.known {
		p := &q.f.pos
		them := p.Turn().Other()
		enemies := p.ByColor(them) &^ p.ByType(rules.King)
		*a = quietAttacks{
			true, squaresAttacking(p, t, moreValuable(p, t, enemies)),
			squaresAttacking(p, t, enemies&^q.f.attacks[them&1].All), squaresAttacking(p, t, q.endangered),
		}
	}
	return a
}

// score returns the prior of the move to a square, in the units of the histories.
func (q *quietPrior) score(to rules.Square) int32 {
	to &= 63
	return q.origin + targetWeights[q.kind][q.safeties.at(to)] +
		enemyKingWeights[q.kind][q.enemyKing[to]&7] + ownKingWeights[q.kind][q.ownKing[to]&7] +
		bit(q.checks, to)*q.checkBonus + bit(q.guards, to)*q.guardBonus +
		bit(q.threats, to)*q.threatBonus + bit(q.undefended, to)*q.undefendedBonus
}

// bit returns 1 if a set has a square, else 0, without a branch.
func bit(set rules.Bitboard, s rules.Square) int32 { return int32(set>>(s&63)) & 1 }

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
	return safetyOf[bit(s.attacked, square)|bit(s.attackedByLess, square)<<1|bit(s.defended, square)<<2]
}

// safetyOf is indexed by whether a square is attacked (1), by less valuable pieces (2), and
// defended (4).
var safetyOf = [8]safety{1: undefended, 2: safe, 3: outclassed, 4: safe, 5: defended, 6: safe, 7: outclassed}
