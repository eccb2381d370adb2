package engine

import (
	"fmt"
	"strings"

	"github.com/zhbot/zhbot/rules"
)

// tempo is the bonus for the side to move, in centipawns.
const tempo = 50

// evaluate returns the static evaluation of a position in centipawns, for the side to
// move. Pending captures are left to the search.
func evaluate(p *rules.Position) int {
	var e evaluation
	e.compute(p)
	us := p.Turn()
	return e.total(us) - e.total(us.Other()) + tempo
}

// term is a term of the evaluation.
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

// evaluation holds the terms by side, and what they share. It lives on the stack.
type evaluation struct {
	p             *rules.Position
	occupied      rules.Bitboard
	attacks       [2][8]rules.Bitboard // squares attacked, by piece type
	defended      [2]rules.Bitboard    // squares attacked by a piece other than the king
	attacked      [2]rules.Bitboard    // squares attacked by any piece
	attackedTwice [2]rules.Bitboard    // squares attacked more than once
	king          [2]rules.Square
	kingZone      [2]rules.Bitboard // the king's square and those around it
	zoneAttacks   [2]int            // attacks of a side on squares of the enemy king's zone
	terms         [2][termCount]int
}

// compute fills in every term of both sides. It computes the attacks of both sides before
// the terms that need them.
func (e *evaluation) compute(p *rules.Position) {
	e.p = p
	e.occupied = p.Occupied()
	for c := rules.White; c <= rules.Black; c++ {
		e.king[c] = p.King(c)
		e.kingZone[c] = rules.KingAttacks(e.king[c]) | e.king[c].Bit()
		e.evaluateMaterial(c)
		e.evaluatePawns(c)
	}
	for c := rules.White; c <= rules.Black; c++ {
		e.evaluatePieces(c)
		e.evaluateKing(c)
	}
	for c := rules.White; c <= rules.Black; c++ {
		e.terms[c][termThreats] = e.threats(c)
		e.terms[c][termKing] = e.shelter(c) - e.kingDanger(c)
	}
}

// addAttacks adds the attacks of one more piece. The king must come last.
func (e *evaluation) addAttacks(c rules.Color, t rules.PieceType, set rules.Bitboard) {
	e.attacks[c][t] |= set
	e.attackedTwice[c] |= e.attacked[c] & set
	e.attacked[c] |= set
}

func (e *evaluation) total(c rules.Color) int {
	sum := 0
	for _, v := range e.terms[c] {
		sum += v
	}
	return sum
}

// Explain returns the terms of the hand-written evaluation of a position as a table, in
// centipawns.
func Explain(p *rules.Position) string {
	var e evaluation
	e.compute(p)
	var b strings.Builder
	row := func(name string, white, black int) {
		fmt.Fprintf(&b, "%-10s %6d %6d %+6d\n", name, white, black, white-black)
	}
	fmt.Fprintf(&b, "%-10s %6s %6s %6s\n", "term", "white", "black", "sum")
	for t := range termCount {
		row(t.String(), e.terms[rules.White][t], e.terms[rules.Black][t])
	}
	row("total", e.total(rules.White), e.total(rules.Black))
	fmt.Fprintf(&b, "\nEvaluation: %+d cp for the side to move, %d of them tempo", evaluate(p), tempo)
	return b.String()
}
