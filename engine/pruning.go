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
	return min(max(surplus*reduceEval, -maxEvalSubtracted), maxEvalAdded)
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

// futilityMargin returns how far below alpha an evaluation must be for the move with a number
// to be skipped.
func (w *worker) futilityMargin(ply, depth int, m rules.Move, count int, quiet bool) int {
	if !quiet {
		return w.captureMargin(ply, m, count) + captureDepthMargin*(depth-1)
	}
	score := int(w.stack[ply].picker.score)
	return futilityBase + futilityDepthMargin*depth + score/futilityScore - byMoves(futilityMoves, count)
}

// captureMargin returns the same for a capture in quiescence.
func (w *worker) captureMargin(ply int, m rules.Move, count int) int {
	f := &w.stack[ply]
	margin := captureBase + int(*w.history.captureAt(&f.pos, m))/captureHistory - byMoves(captureMoves, count)
	if w.madeMove(ply-1) && w.stack[ply-1].move.To() == m.To() {
		margin += recaptureMargin
	}
	return margin
}

// seeThreshold returns the static exchange evaluation below which the quiet move with a
// number is pruned.
func seeThreshold(depth, count int, givesCheck bool) int {
	if givesCheck {
		return -seeCheckMargin * depth
	}
	reduced := max(depth-lateReduction(depth, count)>>reductionBits, 1)
	return -seeQuietMargin * reduced * reduced
}
