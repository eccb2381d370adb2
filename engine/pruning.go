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

// lateMoveLimit returns after how many moves the quiet ones are skipped.
func lateMoveLimit(depth int, improving bool) int {
	return (lateMoveBase + lateMoveFactor*depth*depth) / (2 - boolToInt(improving))
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
