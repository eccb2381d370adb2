package engine

import "time"

// maxPly is the deepest line that a search follows from its root.
const maxPly = 128

// pollNodes is how many nodes a worker searches between two looks at the
// clock and at the queue for its thread: well under a millisecond's worth.
const pollNodes = 512

// Clock management. Shares are chosen so that a game of any length ends
// within its clock; see TestPlan for the cases that hold them.
const (
	// moveHorizon is how many more moves the clock is spread over.
	moveHorizon = 35
	// incrementPercent of the increment is spent on each move.
	incrementPercent = 75
	// maximumFactor is how many times the optimum a hard move may take.
	maximumFactor = 5
	// longestMovePercent of the clock, besides the increment, is the most
	// that a move takes; mostClockPercent when it is the last before the
	// clock is refilled, or when the increment refills it.
	longestMovePercent = 20
	mostClockPercent   = 70
	// mostReserve is the part of the clock that is never planned for.
	mostReserve = 500 * time.Millisecond
	// When the clock leaves no choice, a move still takes this part of it,
	// within these bounds: enough not to blunder.
	leastShare    = 50
	leastTime     = time.Millisecond
	mostLeastTime = 5 * time.Millisecond
	// dropPercent more time is taken for each centipawn that the score fell
	// since the depth before, up to dropCeiling centipawns.
	dropPercent = 1
	dropCeiling = 100
)

// stabilityPercent of the optimum is taken when the best move has been the
// same for so many depths.
var stabilityPercent = [...]int{160, 120, 100, 85, 75, 65, 60}

// Search. Depths are plies. What can be tuned is in tunable.go.
const (
	// Aspiration windows open from this depth on.
	aspirationDepth = 4
	// Reverse futility, razoring, null move, internal iterative reduction, late
	// move pruning, futility and SEE pruning: from, or at most, this deep.
	reverseFutilityDepth    = 8
	razorDepth              = 2
	nullMinDepth            = 3
	iterativeReductionDepth = 5
	lateMoveDepth           = 8
	futilityDepth           = 6
	seeDepth                = 8

	// Null move: the reduction is nullBase plus depth/nullDepthDivisor plus
	// one per nullEvalDivisor above beta, the last at most nullEvalMost; from
	// nullVerifyDepth on a cutoff is verified.
	nullBase         = 3
	nullDepthDivisor = 4
	nullEvalMost     = 3
	nullVerifyDepth  = 12

	// Singular extension: from this depth on, the hash move is extended when
	// all others fail by singularMargin per ply.
	singularDepth  = 7
	singularMargin = 2

	// Reductions are summed in parts of a ply.
	reductionBits = 10
	reductionUnit = 1 << reductionBits
	// manyCutoffs of the next ply are a sign that this node will be cut off, too.
	manyCutoffs = 3
	// A drop this far from both kings that gives no check is reduced more.
	farDrop = 4

	// Quiet evasions tried in quiescence once one evasion is known not to lose by
	// mate.
	quiescenceEvasions = 2

	// historyMax bounds every history value.
	historyMax = 16384
)

// Correction of the static evaluation; see [corrections].
const (
	correctionBits = 14   // of the hash that finds pawns and pockets
	correctionUnit = 128  // parts of a centipawn
	correctionMax  = 8192 // bounds each of the two corrections
	correctionStep = 1024 // bounds what one search adds
)

// historyBonus is what a move gains that cuts off at a depth.
func historyBonus(depth int) int {
	return min(bonusSquare*depth*depth+bonusLinear*depth, bonusMost)
}

// historyMalus is what the moves lose that were tried before it.
func historyMalus(depth int) int {
	return min(malusSquare*depth*depth+malusLinear*depth, malusMost)
}

// Levels below full strength; see [Strength].
const (
	// The lowest level's nodes, and how many times as many each next has.
	levelNodes       = 40
	levelNodesFactor = 1.7
	// The lowest level's temperature in centipawns, and how it falls; a move
	// that is worse by more than levelMargin temperatures is never played.
	levelTemperature       = 300
	levelTemperatureFactor = 0.8
	levelMargin            = 3
	// The choice is among levelLines moves, and one more for every
	// levelsALine levels below full strength.
	levelLines  = 2
	levelsALine = 3
)
