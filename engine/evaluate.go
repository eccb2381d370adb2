package engine

import "github.com/zhbot/zhbot/rules"

// tempo is what the right to move is worth: in crazyhouse, half an attack.
const tempo = 50

// evaluate judges a position in centipawns, seen from the side to move. It
// looks at the position as it stands: captures are the search's business.
func evaluate(p *rules.Position) int {
	var e evaluation
	e.judge(p)
	us := p.Turn()
	return e.total(us) - e.total(us.Other()) + tempo
}

// term is one idea of the evaluation.
type term uint8

const (
	termMaterial term = iota
	termPlacement
	termPawns
	termMobility
	termThreats
	termKing
	termCount
)

// String returns the name of the term.
func (t term) String() string {
	return [...]string{
		"material", "placement", "pawns", "mobility", "threats", "king",
	}[t]
}

// evaluation collects what the terms need of each other, and the terms
// themselves by side. It lives on the stack.
type evaluation struct {
	p        *rules.Position
	occupied rules.Bitboard
	attacks  [2][8]rules.Bitboard // squares that a type attacks
	guarded  [2]rules.Bitboard    // squares attacked by anything but the king
	attacked [2]rules.Bitboard    // squares attacked at all
	twice    [2]rules.Bitboard    // squares attacked more than once
	king     [2]rules.Square
	zone     [2]rules.Bitboard // the king's square and those around it
	assault  [2]int            // how often a side attacks a square of the enemy king's zone
	terms    [2][termCount]int
}

// judge fills in every term of both sides. The attacks of both must be known
// before what depends on them.
func (e *evaluation) judge(p *rules.Position) {
	e.p = p
	e.occupied = p.Occupied()
	for c := rules.White; c <= rules.Black; c++ {
		e.king[c] = p.King(c)
		e.zone[c] = rules.KingAttacks(e.king[c]) | e.king[c].Bit()
		e.countMaterial(c)
		e.placePawns(c)
	}
	for c := rules.White; c <= rules.Black; c++ {
		e.placePieces(c)
		e.placeKing(c)
	}
	for c := rules.White; c <= rules.Black; c++ {
		e.terms[c][termThreats] = e.threats(c)
		e.terms[c][termKing] = e.shelter(c) - e.kingDanger(c)
	}
}

// addAttacks notes what one more piece of a side attacks. The king comes last.
func (e *evaluation) addAttacks(c rules.Color, t rules.PieceType, set rules.Bitboard) {
	e.attacks[c][t] |= set
	e.twice[c] |= e.attacked[c] & set
	e.attacked[c] |= set
}

func (e *evaluation) total(c rules.Color) int {
	sum := 0
	for _, v := range e.terms[c] {
		sum += v
	}
	return sum
}
