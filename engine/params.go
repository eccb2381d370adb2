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

// Search. Scores are centipawns, depths plies. The starting values are those
// of the design notes; each is a candidate for a match of its own.
const (
	// Aspiration windows open at this half-width from this depth on.
	aspirationDepth  = 4
	aspirationWindow = 35

	// Reverse futility: at most this deep, a static evaluation this much per
	// ply above beta is a cutoff.
	reverseFutilityDepth  = 8
	reverseFutilityMargin = 70

	// Razoring: at most this deep, a static evaluation this much per ply
	// below alpha leaves only quiescence a chance.
	razorDepth  = 2
	razorMargin = 350

	// Null move: the reduction is nullBase plus depth/nullDepthDivisor plus
	// one per nullEvalDivisor above beta, the last at most nullEvalMost; from
	// nullVerifyDepth on a cutoff is verified.
	nullMinDepth     = 3
	nullBase         = 3
	nullDepthDivisor = 4
	nullEvalDivisor  = 200
	nullEvalMost     = 3
	nullVerifyDepth  = 12

	// Internal iterative reduction of nodes without a hash move.
	iterativeReductionDepth = 5

	// Singular extension: from this depth on, the hash move is extended when
	// all others fail by singularMargin per ply.
	singularDepth  = 7
	singularMargin = 2

	// Late quiet moves that give no check are skipped at low depth when more
	// than lateMoveBase + lateMoveFactor·depth² moves were tried, half that
	// when not improving. With drops the good moves come late: three times
	// what chess engines try gained 41 ± 60 Elo (120 games of 15,000 nodes).
	lateMoveDepth  = 8
	lateMoveBase   = 12
	lateMoveFactor = 3

	// Futility: quiet moves are skipped when the evaluation plus base and
	// margin per ply stays below alpha. Plies are those that reductions leave.
	futilityDepth  = 6
	futilityBase   = 150
	futilityMargin = 115

	// SEE pruning: captures and checks may lose this much per ply, other quiet
	// moves this much per ply squared, of those that reductions leave.
	seeDepth         = 8
	seeCaptureMargin = 100
	seeQuietMargin   = 30
	// A capture may lose its history divided by seeHistory more, at most this
	// much per ply.
	seeHistory     = 48
	seeHistoryMost = 60

	// Late move reductions: log(depth)·log(moves)/reductionDivisor, less the
	// history divided by reductionHistory, summed in parts of a ply.
	reductionBits    = 10
	reductionUnit    = 1 << reductionBits
	reductionDivisor = 1.95
	reductionHistory = 8192
	// Where more nodes than this of the next ply were cut off, moves are reduced
	// by one ply more.
	manyCutoffs = 3
	// A reduced move that surprises by so much is searched one ply deeper, one
	// that hardly does is searched one less.
	deeperMargin = 50
	// A drop this far from both kings that gives no check is reduced by one
	// ply more.
	farDrop = 4

	// Quiescence: a capture is skipped when even its gain and this margin
	// leave the score below alpha.
	quiescenceMargin = 200
	// Checking drops are tried when the score is at most this much below alpha.
	quiescenceCheckMargin = 200
	// Quiet evasions tried once one evasion is known not to lose by mate.
	quiescenceEvasions = 2
)

// History tables.
const (
	// historyMax bounds every history value.
	historyMax = 16384
	// surprise above beta makes a cutoff count as one ply deeper.
	surprise = 80
	// checkBonus puts quiet moves that give check before most others.
	checkBonus = 10000
)

// Correction of the static evaluation; see [corrections].
const (
	correctionBits = 14   // of the hash that finds pawns and pockets
	correctionUnit = 128  // parts of a centipawn
	correctionMax  = 8192 // bounds each of the two corrections
	correctionStep = 1024 // bounds what one search adds
)

// historyBonus is what a move gains that cuts off at a depth.
func historyBonus(depth int) int { return min(16*depth*depth+128*depth, 2000) }

// historyMalus is what the moves lose that were tried before it.
func historyMalus(depth int) int { return min(12*depth*depth+96*depth, 1200) }

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
