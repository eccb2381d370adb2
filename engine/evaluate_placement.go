package engine

import "github.com/zhbot/zhbot/rules"

// Where pieces like to stand: a bonus for the rank, seen from their own side,
// and one for the file, counted from the edge. Centipawns, by piece type.
var (
	rankBonus = [8][8]int{
		rules.Pawn:   {0, 10, 0, -5, 10, 40, 70, 0},
		rules.Knight: {-30, 10, 20, 20, 20, 20, -20, -30},
		rules.Bishop: {0, 30, 10, 0, 10, -10, -40, -50},
		rules.Rook:   {15, -20, -40, -40, 0, -10, 40, 50},
		rules.Queen:  {30, 15, 0, -20, -15, 10, 15, 20},
		rules.King:   {0, 30, -20, -40, -60, -80, -100, -120},
	}
	fileBonus = [8][4]int{
		rules.Pawn:   {-25, -10, 20, 20},
		rules.Knight: {-50, -10, 12, 25},
		rules.Bishop: {-4, 5, 12, -10},
		rules.Rook:   {-25, -5, 10, 10},
		rules.Queen:  {15, -10, 10, 0},
		rules.King:   {60, 80, -50, -80},
	}
)

// placement adds up both bonuses, by side, type and square.
var placement = buildPlacement()

func buildPlacement() (table [2][8][64]int16) {
	for t := rules.Pawn; t <= rules.King; t++ {
		for s := range rules.Square(64) {
			v := int16(rankBonus[t][s.Rank()] + fileBonus[t][min(s.File(), 7-s.File())])
			table[rules.White][t][s] = v
			table[rules.Black][t][s.FlipRank()] = v
		}
	}
	return table
}
