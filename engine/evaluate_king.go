package engine

import "github.com/zhbot/zhbot/rules"

// King danger is counted in units, which [dangerScore] converts to centipawns. It grows
// quadratically: one attacker is harmless, four usually mate.
var (
	// pocketUnits is the danger of each enemy piece in hand.
	pocketUnits = [8]int{rules.Pawn: 75, rules.Knight: 110, rules.Bishop: 95, rules.Rook: 100, rules.Queen: 290}
	// checkUnits is the danger of a type that has a safe check, by move or drop; one and a
	// half times as much if it has several.
	checkUnits = [8]int{rules.Pawn: 140, rules.Knight: 210, rules.Bishop: 120, rules.Rook: 200, rules.Queen: 130}
)

const (
	zoneUnits   = 60 // per attack on a square of the king's zone
	weakUnits   = 70 // per attacked square that only the king defends
	holeUnits   = 60 // per empty square beside the king that only the king defends
	flightUnits = 20 // per missing flight square, of three

	dangerLinear = 6
	dangerSquare = 3800
	maxDanger    = 1700 // centipawns

	initiative = 45 // percent more if the attacker is to move

	shelterPawn = 8 // centipawns per pawn in front of the king
)

// kingDanger returns the danger to a side's king in centipawns.
func (e *evaluation) kingDanger(us rules.Color) int {
	them := us.Other()
	beside := e.attacks[us][rules.King]
	weakSquares := beside &^ e.defended[us]
	flight := beside &^ e.p.ByColor(us) &^ e.attacked[them]

	units := zoneUnits*e.zoneAttacks[them] +
		weakUnits*(weakSquares&e.attacked[them]).Count() +
		holeUnits*(weakSquares&^e.occupied).Count() +
		flightUnits*max(3-flight.Count(), 0) +
		pocketDanger(e.p.Pocket(them)) +
		e.checkDanger(us)
	if e.p.Turn() == them {
		units += units * initiative / 100
	}
	return dangerScore(units)
}

// dangerScore converts units to centipawns by a linear and a square term, up to a limit.
func dangerScore(units int) int {
	units = max(units, 0)
	return min(units/dangerLinear+units*units/dangerSquare, maxDanger)
}

// pocketDanger returns the units for the pieces in the enemy's pocket, at most two of each
// type.
func pocketDanger(hand rules.Pocket) int {
	units := 0
	for t := rules.Pawn; t <= rules.Queen; t++ {
		units += min(hand.Count(t), 2) * pocketUnits[t]
	}
	return units
}

// checkDanger returns the units for the safe checks against a side's king, by pieces on
// the board and in the pocket.
func (e *evaluation) checkDanger(us rules.Color) int {
	them := us.Other()
	king, hand := e.king[us], e.p.Pocket(them)
	beside := e.attacks[us][rules.King]
	// A checking square is safe if it is undefended, or defended by the king alone and
	// supported: by a second piece for a move, by any piece for a drop.
	moves := ^e.p.ByColor(them) & ^e.defended[us] & (^beside | e.attackedTwice[them])
	drops := ^e.occupied & ^e.defended[us] & (^beside | e.attacked[them])

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
		if t != rules.Pawn { // pawns do not move to the squares they attack
			safe = from[t&7] & moves & e.attacks[them][t&7]
		}
		if hand.Has(t) {
			safe |= from[t&7] & drops
		}
		units += checkUnits[t&7] * checkWeight(safe) / 2
	}
	return units
}

// checkWeight returns the weight of checks from these squares, in halves.
func checkWeight(squares rules.Bitboard) int {
	switch {
	case squares == 0:
		return 0
	case squares.MoreThanOne():
		return 3
	}
	return 2
}

// shelter returns the bonus for the pawns on the two ranks in front of the king, on its
// file and the adjacent ones.
func (e *evaluation) shelter(c rules.Color) int {
	front := e.kingZone[c]
	if c == rules.White {
		front |= front << 8
	} else {
		front |= front >> 8
	}
	return shelterPawn * (front & e.p.Pieces(c, rules.Pawn)).Count()
}
