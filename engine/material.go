package engine

import "github.com/zhbot/zhbot/rules"

// What a piece is worth in centipawns, by [rules.PieceType]. In crazyhouse the
// big pieces lose their lead: a knight in hand mates where a rook on a1 looks
// on. In hand a piece can land anywhere, but costs a move.
//
// A capture changes two men, the victim on the board and its twin in the
// captor's pocket, so winning a pawn swings the score by about two pawns.
var (
	boardValue = [8]int{0, 100, 240, 250, 320, 540, 0, 0}
	handValue  = [8]int{0, 110, 260, 250, 320, 500, 0, 0}
)

// captureValue returns how far the score swings when a piece of the type is
// captured. A promoted piece goes to the pocket as a pawn.
func captureValue(t rules.PieceType, promoted bool) int {
	if promoted {
		return boardValue[t] + handValue[rules.Pawn]
	}
	return boardValue[t] + handValue[t]
}
