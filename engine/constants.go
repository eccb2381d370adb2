package engine

import "time"

// maxPly is the maximum length of a line from the root.
const maxPly = 128

// pollNodes is how many nodes a worker searches between two polls of the clock and the
// scheduler: well under a millisecond.
const pollNodes = 512

// Limits of time management. No single move empties the clock: see TestPlan_NeverEmptiesTheClock.
// The tuned constants are in parameters.go.
const (
	// maxClockPercent of the clock is the maximum for the last move before the clock is
	// refilled, or if the increment refills it.
	maxClockPercent = 70
	// maxReserve caps the share of the clock that is never planned for. Two overheads come on top,
	// and those of longGame more moves as far as the increment does not pay for them.
	maxReserve = 500 * time.Millisecond
	longGame   = 25
	// Even in a time scramble a move takes 1/minShare of the clock, from minTime to
	// maxMinTime, so that it is not a blunder.
	minShare   = 50
	minTime    = time.Millisecond
	maxMinTime = 5 * time.Millisecond
	// Score drops beyond maxScoreDrop centipawns add no further time.
	maxScoreDrop = 100
)

// The search. Depths are in plies. Constants that are tuned are in parameters.go.
const (
	// Aspiration windows are used from this depth on.
	aspirationDepth = 4
	// The depths from which, or up to which, reverse futility pruning, razoring, null move
	// pruning, internal iterative reduction, and pruning of single moves apply.
	reverseFutilityDepth    = 8
	razorDepth              = 2
	nullMinDepth            = 3
	iterativeReductionDepth = 3
	pruningDepth            = 8

	// Null move: only if the static evaluation, too, is at most nullMargin per ply below beta.
	// The reduction is nullBase plus depth/nullDepthDivisor plus one per NullEvalDivisor above
	// beta, at most maxNullEvalReduction. From nullVerifyDepth on a cutoff is verified.
	nullMargin           = 15
	nullBase             = 3
	nullDepthDivisor     = 4
	maxNullEvalReduction = 3
	nullVerifyDepth      = 12

	// Singular extension: from this depth on the hash move is extended if all others fail
	// by singularMargin per ply.
	singularDepth  = 5
	singularMargin = 2

	// Reductions are added up in 1/reductionUnit of a ply.
	reductionBits = 10
	reductionUnit = 1 << reductionBits
	// More cutoffs than this at the next ply suggest that this node will be cut off, too.
	manyCutoffs = 2
	// A node whose move was reduced by deeperReduction plies is searched a ply deeper if the
	// evaluation says that the move lost nothing, and from shallowerReduction on a ply less
	// deep if it lost more than shallowerLoss.
	deeperReduction    = 3
	shallowerReduction = 2
	shallowerLoss      = 130
	// A drop at least this far from both kings that gives no check is reduced more.
	farDrop = 4

	// Quiet moves, evasions or checks, tried in quiescence once a move avoids mate.
	quiescenceQuiets = 3

	// maxHistory bounds every history value.
	maxHistory = 16384
	// unknownScore stands for that of a quiet move that was returned before it was scored:
	// a hash move, killer or counter move.
	unknownScore = 44000
)

// Correction of the static evaluation; see [correctionHistory].
const (
	correctionBits      = 14    // of structureKey and piecesKey
	correctionUnit      = 128   // values per centipawn
	maxCorrection       = 10500 // limit of each of the corrections
	maxCorrectionUpdate = 1024  // limit of a single update
)
