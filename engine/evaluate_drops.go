package engine

import "github.com/zhbot/zhbot/rules"

// dropSquare is the worth of each safe empty square in the enemy's half when
// there is something to drop there, in centipawns.
const dropSquare = 10

var half = [2]rules.Bitboard{
	rules.White: 0xffffffff << 32,
	rules.Black: 0xffffffff,
}

// dropSquares judges where a side's pocket can land in the enemy's half
// without being taken.
func (e *evaluation) dropSquares(c rules.Color) int {
	if e.p.Pocket(c) == 0 {
		return 0
	}
	safe := half[c] &^ e.occupied &^ e.attacked[c.Other()]
	return dropSquare * safe.Count()
}
