package engine

import "github.com/zhbot/zhbot/rules"

// What a piece is worth in centipawns, by [rules.PieceType]. In crazyhouse the
// big pieces lose their lead: a knight in hand mates where a rook on a1 looks
// on. In hand a piece can land anywhere, but costs a move.
//
// A capture changes two men, the victim on the board and its twin in the
// captor's pocket, so winning a pawn swings the score by about two pawns.
var (
	boardValue = [8]int{0, 100, 270, 320, 360, 515, 0, 0}
	handValue  = [8]int{0, 85, 215, 190, 285, 370, 0, 0}
)

// firstInHand is what the first piece of its kind in hand is worth beyond
// handValue: having one at all opens more chances than having another.
var firstInHand = [8]int{0, 70, 50, 60, 55, 0, 0, 0}

// promotedBonus percent of the difference to a pawn is what a promoted piece
// is worth more than a born one: its captor only gets a pawn.
const promotedBonus = 50

// captureValue returns how far the score swings when a piece of the type is
// captured. A promoted piece goes to the pocket as a pawn.
func captureValue(t rules.PieceType, promoted bool) int {
	if promoted {
		return boardValue[t] + handValue[rules.Pawn]
	}
	return boardValue[t] + handValue[t]
}

// countMaterial counts the men of a side, on the board and in hand.
func (e *evaluation) countMaterial(c rules.Color) {
	sum, hand := 0, e.p.Pocket(c)
	for t := rules.Pawn; t <= rules.Queen; t++ {
		sum += boardValue[t] * e.p.Pieces(c, t).Count()
		if n := hand.Count(t); n > 0 {
			sum += handValue[t]*n + firstInHand[t]
		}
	}
	for set := e.p.Promoted() & e.p.ByColor(c); set != 0; {
		t := e.p.PieceAt(set.Pop()).Type()
		sum += (handValue[t] - handValue[rules.Pawn]) * promotedBonus / 100
	}
	e.terms[c][termMaterial] = sum
}
