package engine

import (
	"math"

	"github.com/zhbot/zhbot/rules"
)

// lateReduction returns the base reduction of the move with a number at a depth, in
// 1/reductionUnit of a ply.
func (p *Parameters) lateReduction(depth, count int) int {
	product := logs[min(depth, maxPly-1)] * logs[min(count, maxCount)]
	return p.ReductionBase + int(100*reductionUnit*product/float64(p.ReductionDivisor))
}

// reductionByEval returns what the static evaluation at the ply after a quiet move adds to
// its reduction, given beta there: the more the move seems to lose, the more.
func (w *worker) reductionByEval(ply, beta int) int {
	w.findEval(ply)
	p := &w.params
	surplus := w.stack[ply].eval - beta - p.ReduceEvalBase
	return min(max(surplus*p.ReduceEval, -p.MaxEvalSubtracted), p.MaxEvalAdded)
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
		return w.captureMargin(ply, m, count) + w.params.CaptureDepthMargin*(depth-1)
	}
	p, score := &w.params, int(w.stack[ply].picker.score)
	return p.FutilityBase + p.FutilityDepthMargin*depth + score/p.FutilityScore - byMoves(p.FutilityMoves, count)
}

// captureMargin returns the same for a capture in quiescence.
func (w *worker) captureMargin(ply int, m rules.Move, count int) int {
	p, history := &w.params, int(*w.history.captureAt(&w.stack[ply].pos, m))
	margin := p.CaptureBase + history/p.CaptureHistory - byMoves(p.CaptureMoves, count)
	if w.madeMove(ply-1) && w.stack[ply-1].move.To() == m.To() {
		margin += p.RecaptureMargin
	}
	return margin
}

// seeThreshold returns the static exchange evaluation below which the quiet move with a
// number is pruned.
func (w *worker) seeThreshold(ply, depth, count int, givesCheck bool) int {
	p := &w.params
	margin := p.SeeCheckMargin * depth
	if !givesCheck {
		reduced := max(depth-p.lateReduction(depth, count)>>reductionBits, 1)
		margin = p.SeeQuietMargin * reduced * reduced
	}
	if score := w.stack[ply].picker.score; score != unknownScore {
		margin += int(score) / p.SeeScore
	}
	return min(-margin, 0)
}
