package engine

import "github.com/zhbot/zhbot/rules"

// Where pieces like to stand: a bonus for the rank, seen from their own side,
// and one for the file, counted from the edge. Centipawns, by piece type.
var (
	rankBonus = [8][8]int{
		rules.Pawn:   {0, 10, -5, -10, 0, 40, 50, 0},
		rules.Knight: {-20, 10, 10, 20, 20, 20, -50, -40},
		rules.Bishop: {10, 25, 5, 0, 20, 0, -60, -60},
		rules.Rook:   {20, -15, -40, -50, 0, -30, 10, 50},
		rules.Queen:  {40, 15, 0, -30, -30, -10, 0, 20},
		rules.King:   {-10, 40, -10, -40, -60, -80, -100, -120},
	}
	fileBonus = [8][4]int{
		rules.Pawn:   {-30, -10, 15, 10},
		rules.Knight: {-45, -15, 10, 20},
		rules.Bishop: {0, 15, 5, -10},
		rules.Rook:   {-20, -10, 15, 0},
		rules.Queen:  {0, -5, 0, 0},
		rules.King:   {50, 80, -50, -75},
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
