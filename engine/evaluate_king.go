package engine

import "github.com/zhbot/zhbot/rules"

// King danger is counted in units, of which [dangerScore] makes centipawns
// that grow with the square: one attacker is nothing, four are mate.
var (
	// pocketUnits for each enemy piece in hand.
	pocketUnits = [8]int{rules.Pawn: 75, rules.Knight: 110, rules.Bishop: 95, rules.Rook: 100, rules.Queen: 290}
	// checkUnits for a type that has a safe check, by move or by drop; half
	// as much again when it has several.
	checkUnits = [8]int{rules.Pawn: 140, rules.Knight: 210, rules.Bishop: 120, rules.Rook: 200, rules.Queen: 130}
)

const (
	zoneUnits   = 60 // each attack on a square of the king's zone
	weakUnits   = 70 // each such square that only the king guards
	holeUnits   = 60 // each empty square beside the king that only he guards
	flightUnits = 20 // each of three flight squares that he lacks

	dangerLinear = 6
	dangerSquare = 3800
	mostDanger   = 1700 // centipawns

	initiative = 45 // percent more when the attacker is to move

	shelterPawn = 8 // centipawns for each own pawn in front of the king
)

// kingDanger judges the danger for a side's king in centipawns.
func (e *evaluation) kingDanger(us rules.Color) int {
	them := us.Other()
	beside := e.attacks[us][rules.King]
	bare := beside &^ e.guarded[us]
	flight := beside &^ e.p.ByColor(us) &^ e.attacked[them]

	units := zoneUnits*e.assault[them] +
		weakUnits*(bare&e.attacked[them]).Count() +
		holeUnits*(bare&^e.occupied).Count() +
		flightUnits*max(3-flight.Count(), 0) +
		pocketDanger(e.p.Pocket(them)) +
		e.checkDanger(us)
	if e.p.Turn() == them {
		units += units * initiative / 100
	}
	return dangerScore(units)
}

// dangerScore turns units into centipawns: a share of them and of their
// square, cut off where the king is lost anyway.
func dangerScore(units int) int {
	units = max(units, 0)
	return min(units/dangerLinear+units*units/dangerSquare, mostDanger)
}

// pocketDanger counts the pieces that wait in the enemy's hand, the third of
// a kind no more.
func pocketDanger(hand rules.Pocket) int {
	units := 0
	for t := rules.Pawn; t <= rules.Queen; t++ {
		units += min(hand.Count(t), 2) * pocketUnits[t]
	}
	return units
}

// checkDanger counts the safe checks that await a side's king, from pieces on
// the board and from the pocket.
func (e *evaluation) checkDanger(us rules.Color) int {
	them := us.Other()
	king, hand := e.king[us], e.p.Pocket(them)
	beside := e.attacks[us][rules.King]
	// A piece is safe where nothing guards, or where only the king does and
	// it is covered: a move needs a second piece for that, a drop needs one.
	moves := ^e.p.ByColor(them) & ^e.guarded[us] & (^beside | e.twice[them])
	drops := ^e.occupied & ^e.guarded[us] & (^beside | e.attacked[them])

	diagonal := rules.BishopAttacks(king, e.occupied)
	straight := rules.RookAttacks(king, e.occupied)
	from := [8]rules.Bitboard{
		rules.Pawn:   rules.PawnAttacks(us, king),
		rules.Knight: rules.KnightAttacks(king),
		rules.Bishop: diagonal,
		rules.Rook:   straight,
		rules.Queen:  diagonal | straight,
	}
	units := 0
	for t := rules.Pawn; t <= rules.Queen; t++ {
		var safe rules.Bitboard
		if t != rules.Pawn { // a pawn does not go where it attacks
			safe = from[t&7] & moves & e.attacks[them][t&7]
		}
		if hand.Has(t) {
			safe |= from[t&7] & drops
		}
		units += checkUnits[t&7] * checkWeight(safe) / 2
	}
	return units
}

// checkWeight returns, in halves, how much checks from these squares count.
func checkWeight(squares rules.Bitboard) int {
	switch {
	case squares == 0:
		return 0
	case squares.MoreThanOne():
		return 3
	}
	return 2
}

// shelter judges the pawns on the two ranks before the king, on his file and
// those beside it.
func (e *evaluation) shelter(c rules.Color) int {
	front := e.zone[c]
	if c == rules.White {
		front |= front << 8
	} else {
		front |= front >> 8
	}
	return shelterPawn * (front & e.p.Pieces(c, rules.Pawn)).Count()
}
