package engine

import (
	"math"

	"github.com/zhbot/zhbot/rules"
)

// lateReduction returns the base reduction of the move with a number at a depth, in
// 1/reductionUnit of a ply.
func lateReduction(depth, count int) int {
	product := logs[min(depth, maxPly-1)] * logs[min(count, maxCount)]
	return reductionBase + int(100*reductionUnit*product/float64(reductionDivisor))
}

// reductionByEval returns what the static evaluation at the ply after a quiet move adds to
// its reduction, given beta there: the more the move seems to lose, the more.
func (w *worker) reductionByEval(ply, beta int) int {
	w.findEval(ply)
	surplus := w.stack[ply].eval - beta - reduceEvalBase
	return min(max(surplus*reduceEval, -maxEvalExtension), maxEvalReduction)
}

// logs holds the natural logarithms of depths and of move numbers up to maxCount.
var logs = computeLogs()

const maxCount = 63

func computeLogs() (table [maxPly]float64) {
	for n := 1; n < maxPly; n++ {
		table[n] = math.Log(float64(n))
	}
	return table
}

// byMoves returns a weight times the natural logarithm of a move number.
func byMoves(weight, count int) int { return weight * int(1024*logs[min(count, maxCount)]) / 1024 }

// futilityMargin returns how far below alpha an evaluation must be for the quiet move with a
// number and a score to be skipped.
func futilityMargin(depth, count int, score int32) int {
	return futilityBase + futilityDepthMargin*depth + int(score)/futilityScore - byMoves(futilityMoves, count)
}

// captureMargin returns how far below alpha an evaluation must be for the capture with a
// number to be skipped in quiescence, or at depth 1.
func (w *worker) captureMargin(ply int, m rules.Move, count int) int {
	f := &w.stack[ply]
	margin := captureBase + int(*w.history.captureAt(&f.pos, m))/captureHistory - byMoves(captureMoves, count)
	if w.madeMove(ply-1) && w.stack[ply-1].move.To() == m.To() {
		margin += recaptureMargin
	}
	return margin
}

// seeThreshold returns the static exchange evaluation below which a quiet move is pruned.
func seeThreshold(depth, reduced int, givesCheck bool) int {
	if givesCheck {
		return -seeCheckMargin * depth
	}
	return -seeQuietMargin * reduced * reduced
}
