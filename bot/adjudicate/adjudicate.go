// Package adjudicate decides from the scores of our searches when to end a game early.
// All scores are in centipawns from our point of view, newest first. A single score means
// little: a crazyhouse game can turn within a move.
package adjudicate

import "github.com/zhbot/zhbot/bot/record"

// The number of scores considered.
const (
	DrawMoves   = 6 // consecutive scores that must be level for a draw
	ResignMoves = 5 // consecutive bad scores after which a game is lost
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

// IsLevel reports whether a long game has been level for several moves.
func IsLevel(scores []int, ply int) bool {
	return ply >= drawPlies && allOf(scores, DrawMoves, func(s int) bool { return s >= -drawLevel && s <= drawLevel })
}

// AcceptsDraw reports whether to accept a draw: in a level game, or when we are
// losing.
func AcceptsDraw(scores []int, ply int) bool {
	return IsLevel(scores, ply) || allOf(scores, worseMoves, func(s int) bool { return s <= -worseLevel })
}

// IsLost reports whether a game is certainly lost: by a large score over several
// moves, or by a mate found by several searches.
func IsLost(scores []int) bool {
	return allOf(scores, resignMates, func(s int) bool { return s <= -record.MateScore }) ||
		allOf(scores, ResignMoves, func(s int) bool { return s <= -resignLevel })
}
