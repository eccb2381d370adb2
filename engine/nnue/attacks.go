package nnue

import "github.com/zhbot/zhbot/rules"

const (
	// AttackInputs is the number of attack counts of a position.
	AttackInputs = 2 * sideCounts
	sideCounts   = 32

	// CountUnit is the input of the dense layer for a count of 1. The largest input is 127.
	CountUnit = 16
)

// Attacks are the attacks of both sides, by colour.
type Attacks [2]AttackMap

// Find sets the attacks to those of a position.
func (a *Attacks) Find(p *rules.Position) {
	a[rules.White].Find(p, rules.White)
	a[rules.Black].Find(p, rules.Black)
}

// AttackCounts are inputs of the dense layer: 32 numbers of squares for the side to move, then 32
// for the other, in units of [CountUnit], at most 127: what attacks its king and pieces.
type AttackCounts [AttackInputs]uint8

// CountAttacks returns the counts of a position.
func CountAttacks(p *rules.Position) (counts AttackCounts) {
	var attacks Attacks
	attacks.Find(p)
	var sets attackSets
	sets.set(p, &attacks)
	countSets(&counts, &sets)
	return counts
}

// attackSets are the squares that the counts count.
type attackSets [AttackInputs]rules.Bitboard

// set sets the squares to those of a position.
func (s *attackSets) set(p *rules.Position, attacks *Attacks) {
	us := p.Turn() & 1
	setSide((*[sideCounts]rules.Bitboard)(s[:sideCounts]), p, us, &attacks[us], &attacks[us^1])
	setSide((*[sideCounts]rules.Bitboard)(s[sideCounts:]), p, us^1, &attacks[us^1], &attacks[us])
}

// setSide sets what attacks one side: own is its attack map, enemy the other side's.
func setSide(s *[sideCounts]rules.Bitboard, p *rules.Position, us rules.Color, own, enemy *AttackMap) {
	mine, empty, king := p.ByColor(us), ^p.Occupied(), p.King(us)

	// Squares around the king.
	beside, zone := own.King, own.King|king.Bit()
	weak := beside &^ own.Pieces // only the king defends them
	s[0] = zone & enemy.Pawns
	s[1] = zone & enemy.Knights
	s[2] = zone & enemy.Diagonals
	s[3] = zone & enemy.Straights
	s[4] = beside & enemy.Twice
	s[5] = weak & enemy.All
	s[6] = weak & empty
	s[7] = beside &^ mine &^ enemy.All // flights
	s[8] = beside & empty
	wide := zone | zone<<8 | zone>>8
	wide |= wide&^rules.FileA>>1 | wide&^rules.FileH<<1
	s[9] = wide & empty & enemy.All &^ own.Pieces

	// Checks by moves, where the king cannot capture and nothing else defends.
	safe := ^own.Pieces & (^beside | enemy.All)
	moves := safe & (^beside | enemy.Twice) &^ p.ByColor(us^1)
	knight := rules.KnightAttacks(king)
	diagonal, straight := rules.BishopAttacks(king, ^empty), rules.RookAttacks(king, ^empty)
	s[10] = moves & knight & enemy.Knights
	s[11] = moves & diagonal & enemy.Diagonals
	s[12] = moves & straight & enemy.Straights

	// Checks by drops, all and those to safe squares.
	hand := p.Pocket(us ^ 1)
	s[13] = rules.PawnAttacks(us, king) & empty & inHand(hand, rules.Pawn)
	s[14] = knight & empty & inHand(hand, rules.Knight)
	s[15] = diagonal & empty & inHand(hand, rules.Bishop)
	s[16] = straight & empty & inHand(hand, rules.Rook)
	s[17] = (diagonal | straight) & empty & inHand(hand, rules.Queen)
	s[18] = s[13] & safe
	s[19] = s[14] & safe
	s[20] = s[15] & safe
	s[21] = s[16] & safe
	s[22] = s[17] & safe

	// Attacked pieces.
	pawns, queens, rooks := p.ByType(rules.Pawn), p.ByType(rules.Queen), p.ByType(rules.Rook)
	hanging, majors := mine&enemy.All&^own.All, mine&(queens|rooks)
	s[23] = hanging & pawns
	s[24] = hanging & (p.ByType(rules.Knight) | p.ByType(rules.Bishop))
	s[25] = hanging & rooks
	s[26] = hanging & queens
	s[27] = mine & enemy.All
	s[28] = mine & enemy.Twice &^ own.Twice
	s[29] = mine & enemy.Pawns &^ pawns
	s[30] = majors & enemy.Knights
	s[31] = majors & enemy.Diagonals
}

// inHand returns all squares if there is a piece of the type in a pocket, else none.
func inHand(hand rules.Pocket, t rules.PieceType) rules.Bitboard {
	return rules.Bitboard(int64(-hand.Count(t)) >> 63)
}

// countSetsPortable counts the squares of sets, in units, at most 127.
func countSetsPortable(counts *AttackCounts, sets *attackSets) {
	for i, set := range sets {
		counts[i] = uint8(min(set.Count()*CountUnit, 127))
	}
}
