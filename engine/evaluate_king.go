package engine

import "github.com/zhbot/zhbot/rules"

// King danger is counted in units, of which [dangerScore] makes centipawns
// that grow with the square: one attacker is nothing, four are mate.
var (
	// attackerUnits for each piece that attacks the king's zone, times the
	// number of such pieces; in hand, every piece counts as one.
	attackerUnits = [8]int{rules.Pawn: 10, rules.Knight: 25, rules.Bishop: 20, rules.Rook: 20, rules.Queen: 20}
	// pocketUnits for each enemy piece in hand.
	pocketUnits = [8]int{rules.Pawn: 25, rules.Knight: 110, rules.Bishop: 80, rules.Rook: 100, rules.Queen: 150}
	// checkUnits for a type that has a safe check, by move or by drop; half
	// as much again when it has several.
	checkUnits = [8]int{rules.Pawn: 70, rules.Knight: 180, rules.Bishop: 130, rules.Rook: 180, rules.Queen: 200}
)

const (
	zoneUnits   = 30 // each attack on a square of the king's zone
	weakUnits   = 60 // each such square that only the king guards
	holeUnits   = 25 // each empty square beside the king that only he guards
	flightUnits = 30 // each of three flight squares that he lacks

	shelterPawn = 12 // centipawns for each own pawn in front of the king
)

// assault counts what a side has directed at the enemy king's zone.
type assault struct {
	pieces  int // pieces that attack it
	units   int // by attackerUnits
	squares int // squares of it attacked, each time counted
}

// add notes a piece that attacks some squares of the zone, maybe none.
func (a *assault) add(t rules.PieceType, squares rules.Bitboard) {
	if squares == 0 {
		return
	}
	a.pieces++
	a.units += attackerUnits[t&7]
	a.squares += squares.Count()
}

// kingDanger judges the danger for a side's king in centipawns.
func (e *evaluation) kingDanger(us rules.Color) int {
	them := us.Other()
	a := &e.assault[them]
	beside := e.attacks[us][rules.King]
	bare := beside &^ e.guarded[us]
	flight := beside &^ e.p.Color(us) &^ e.attacked[them]

	units := a.pieces*a.units +
		zoneUnits*a.squares +
		weakUnits*(bare&e.attacked[them]).Count() +
		holeUnits*(bare&^e.occupied).Count() +
		flightUnits*max(3-flight.Count(), 0) +
		pocketDanger(e.p.Pocket(them)) +
		e.checkDanger(us)
	return dangerScore(units)
}

// dangerScore turns units into centipawns: their square, cut off where the
// king is lost anyway.
func dangerScore(units int) int {
	const unitsSquared, most = 3000, 1200
	return min(units*units/unitsSquared, most)
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
	king := e.p.King(us)
	hand := e.p.Pocket(them)
	beside := e.attacks[us][rules.King]
	// A piece is safe where nothing guards, or where only the king does and
	// it is covered: a move needs a second piece for that, a drop needs one.
	moves := ^e.p.Color(them) & ^e.guarded[us] & (^beside | e.twice[them])
	drops := ^e.occupied & ^e.guarded[us] & (^beside | e.attacked[them])

	diagonal := rules.BishopAttacks(king, e.occupied)
	straight := rules.RookAttacks(king, e.occupied)
	units := 0
	for t := rules.Pawn; t <= rules.Queen; t++ {
		var from rules.Bitboard
		switch t {
		case rules.Pawn:
			from = rules.PawnAttacks(us, king)
		case rules.Knight:
			from = rules.KnightAttacks(king)
		case rules.Bishop:
			from = diagonal
		case rules.Rook:
			from = straight
		case rules.Queen:
			from = diagonal | straight
		}
		safe := from & moves & e.attacks[them][t&7]
		if t == rules.Pawn {
			safe = 0 // pawns capture where they attack, and rarely check so
		}
		if hand.Has(t) {
			safe |= from & drops
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
	case squares.Several():
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
