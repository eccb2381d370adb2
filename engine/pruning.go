package engine

import (
	"math"

	"github.com/zhbot/zhbot/rules"
)

// lateReduction returns the base reduction of the move with a number at a depth, in
// 1/reductionUnit of a ply.
func lateReduction(depth, count int) int {
	return reductions[min(depth, maxPly-1)][min(count, len(reductions[0])-1)]
}

// reductions holds the late move reductions by depth and move number, in 1/reductionUnit
// of a ply.
var reductions = computeReductions()

func computeReductions() (table [maxPly][64]int) {
	for depth := 1; depth < maxPly; depth++ {
		for count := 1; count < 64; count++ {
			logs := math.Log(float64(depth)) * math.Log(float64(count))
			table[depth][count] = reductionBase + int(100*reductionUnit*logs/float64(reductionDivisor))
		}
	}
	return table
}

// futilityMargin returns how far below alpha an evaluation must be for the quiet move with a
// number and a score to be skipped.
func futilityMargin(depth, count int, score int32) int {
	return futilityBase + futilityDepthMargin*depth + int(score)/futilityScore - futilityMoves*logs[min(count, len(logs)-1)]/1024
}

// captureMargin returns how far below alpha an evaluation must be for quiescence to skip the
// capture with a gain and a number.
func (w *worker) captureMargin(ply int, m rules.Move, gain, count int) int {
	f := &w.stack[ply]
	margin := quiescenceMargin + gain*quiescenceGain/100 + int(*w.history.captureAt(&f.pos, m))/quiescenceHistory -
		quiescenceMoves*logs[min(count, len(logs)-1)]/1024
	if w.madeMove(ply-1) && w.stack[ply-1].move.To() == m.To() {
		margin += quiescenceRecapture
	}
	return margin
}

// logs holds 1024 times the natural logarithm of move numbers.
var logs = computeLogs()

func computeLogs() (table [64]int) {
	for count := 1; count < len(table); count++ {
		table[count] = int(1024 * math.Log(float64(count)))
	}
	return table
}

// seeThreshold returns the static exchange evaluation below which a move is pruned.
func (w *worker) seeThreshold(p *rules.Position, m rules.Move, depth, reduced int, quiet, givesCheck bool) int {
	switch {
	case quiet && givesCheck:
		return -seeCaptureMargin * depth
	case quiet:
		return -seeQuietMargin * reduced * reduced
	}
	limit := maxSEEHistory * depth
	adjustment := int(*w.history.captureAt(p, m)) / seeHistoryDivisor
	return -seeCaptureMargin*depth - min(max(adjustment, -limit), limit)
}
