package game

import "github.com/zhbot/zhbot/bot/record"

// When to end a game early is decided from the scores of our searches, in centipawns from
// our point of view, newest first. A single score means little: a crazyhouse game can turn
// within a move.

// The number of scores considered.
const (
	drawMoves   = 6 // consecutive scores that must be level for a draw
	resignMoves = 5 // consecutive bad scores after which a game is lost
)

const (
	drawPlies  = 80  // minimum plies before a draw in a level game
	drawLevel  = 20  // centipawns within which a score counts as level
	worseMoves = 3   // consecutive bad scores after which a draw is welcome
	worseLevel = 150 // centipawns by which they must be bad

	resignLevel = 1200
	resignMates = 3 // consecutive scores of being mated
)

// allOf reports whether there are n scores and fits holds for the first n.
func allOf(scores []int, n int, fits func(int) bool) bool {
	for _, s := range scores[:min(n, len(scores))] {
		if !fits(s) {
			return false
		}
	}
	return len(scores) >= n
}

// isLevel reports whether a long game has been level for several moves.
func isLevel(scores []int, ply int) bool {
	return ply >= drawPlies && allOf(scores, drawMoves, func(s int) bool { return s >= -drawLevel && s <= drawLevel })
}

// acceptsDraw reports whether to accept a draw: in a level game, or when we are
// losing.
func acceptsDraw(scores []int, ply int) bool {
	return isLevel(scores, ply) || allOf(scores, worseMoves, func(s int) bool { return s <= -worseLevel })
}

// isLost reports whether a game is certainly lost: by a large score over several
// moves, or by a mate found by several searches.
func isLost(scores []int) bool {
	return allOf(scores, resignMates, func(s int) bool { return s <= -record.MateScore }) ||
		allOf(scores, resignMoves, func(s int) bool { return s <= -resignLevel })
}
