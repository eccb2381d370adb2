package engine

import "github.com/zhbot/zhbot/rules"

// Where pieces like to stand: a bonus for the rank, seen from their own side,
// and one for the file, counted from the edge. Centipawns, by piece type.
var (
	rankBonus = [8][8]int{
		rules.Pawn:   {0, 0, 0, 6, 14, 36, 70, 0},
		rules.Knight: {-30, -12, 2, 10, 20, 26, 12, -10},
		rules.Bishop: {-14, 0, 4, 8, 8, 6, 0, -8},
		rules.Rook:   {-4, -8, -6, -4, 2, 8, 22, 14},
		rules.Queen:  {-8, 0, 2, 4, 8, 14, 16, 8},
		rules.King:   {40, 0, -50, -90, -120, -140, -160, -180},
	}
	fileBonus = [8][4]int{
		rules.Pawn:   {-6, -2, 4, 12},
		rules.Knight: {-24, -8, 4, 10},
		rules.Bishop: {-8, 2, 2, 4},
		rules.Rook:   {-6, 0, 4, 8},
		rules.Queen:  {-8, 0, 4, 6},
		rules.King:   {0, 24, -10, -30},
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
