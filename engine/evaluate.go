package engine

import "github.com/zhbot/zhbot/rules"

// tempo is what the right to move is worth.
const tempo = 30

// evaluate judges a position in centipawns, seen from the side to move. It
// looks at the position as it stands: what hangs is the search's business.
func evaluate(p *rules.Position) int {
	us := p.Turn()
	return material(p, us) - material(p, us.Other()) + tempo
}

// material counts a side's men on the board and in hand.
func material(p *rules.Position, c rules.Color) int {
	sum, hand := 0, p.Pocket(c)
	for t := rules.Pawn; t <= rules.Queen; t++ {
		sum += boardValue[t]*p.Pieces(c, t).Count() + handValue[t]*hand.Count(t)
	}
	return sum
}
