//go:build !tune

package engine

//go:generate go test -run TestTunables_AreGenerated . -update

// The constants of the search that can be tuned. The comment after each has the bounds and
// the step for `zhbot tune`. Builds with the tag tune make them UCI options. Scores are in
// centipawns, reductions in 1/1024 of a ply.
const (
	// Time management: the clock is spread over moveHorizon moves, less horizonDecline for
	// every hundred moves of the game so far, at least minHorizon.
	moveHorizon    = 36 // 20 to 60 by 3
	horizonDecline = 72 // 0 to 120 by 12
	minHorizon     = 16 // 6 to 40 by 3
	// incrementPercent of the increment is spent on each move.
	incrementPercent = 79 // 30 to 110 by 8
	// reservePercent of the clock is never planned for; see maxReserve.
	reservePercent = 15 // 4 to 30 by 3
	// A move takes newPercent more than stablePercent of the optimum while its best move
	// is new. With each depth that keeps it, newDecay percent of that remain.
	stablePercent = 35  // 30 to 100 by 6
	newPercent    = 102 // 20 to 220 by 14
	newDecay      = 61  // 30 to 92 by 6
	// dropPercent more is taken for each pawn by which the score has just dropped.
	dropPercent = 117 // 0 to 300 by 25
	// The maximum time is maximumPercent of the optimum, and apart from the increment, at
	// most maxMovePercent of the clock.
	maximumPercent = 412 // 200 to 1000 by 60
	maxMovePercent = 27  // 8 to 45 by 3

	// Aspiration windows start with this half-width.
	aspirationWindow = 35 // 15 to 80 by 6

	// Reverse futility: a static evaluation this much per ply above beta is a cutoff.
	reverseFutilityMargin = 64 // 40 to 120 by 8
	// Razoring: with a static evaluation this much per ply below alpha, the node is
	// searched in quiescence.
	razorMargin = 302 // 150 to 600 by 40
	// Null move: one more ply of reduction for each such amount above beta.
	nullEvalDivisor = 232 // 80 to 400 by 30

	// Futility: quiet moves are skipped from the first on for which the evaluation, a base,
	// a margin per ply, and the score of the move divided by futilityScore, less futilityMoves
	// for each natural logarithm of moves tried, are at most alpha.
	futilityBase        = 62  // 0 to 300 by 15
	futilityDepthMargin = 45  // 0 to 150 by 6
	futilityScore       = 268 // 50 to 1000 by 30
	futilityMoves       = 110 // 0 to 300 by 10

	// SEE pruning: quiet checks may lose this much per ply, other quiet moves this much per
	// ply squared. Plies of the latter are counted after reductions.
	seeCheckMargin = 257 // 40 to 400 by 15
	seeQuietMargin = 36  // 10 to 70 by 5

	// Late move reductions: 100·log(depth)·log(moves) divided by reductionDivisor, plus a
	// base, minus the history divided by reductionHistory.
	reductionDivisor = 162  // 140 to 300 by 10
	reductionBase    = 390  // -1024 to 1024 by 100
	reductionHistory = 7323 // 3000 to 16000 by 800
	// Added at expected cut nodes, when not improving, when many nodes of the next ply
	// were cut off, when the hash move is a capture, and for drops far from both kings.
	reduceCutNode      = 851  // 0 to 2560 by 150
	reduceNotImproving = 1034 // 0 to 2560 by 150
	reduceCutoffs      = 844  // 0 to 2560 by 150
	reduceNoisyHash    = 1170 // 0 to 2560 by 150
	reduceFarDrop      = 1169 // 0 to 2560 by 150
	// Subtracted in PV nodes, for checks, and for captures.
	reducePV      = 1129 // 0 to 2560 by 150
	reduceCheck   = 1024 // 0 to 2560 by 150
	reduceCapture = 772  // 0 to 2560 by 150
	// Added for each centipawn by which the evaluation after a quiet move is worse than
	// alpha, less reduceEvalBase; subtracted if that is negative. The maxima of both.
	reduceEvalBase    = 75   // 0 to 300 by 20
	reduceEval        = 8    // 0 to 24 by 2
	maxEvalAdded      = 1765 // 0 to 4096 by 250
	maxEvalSubtracted = 808  // 0 to 2048 by 150
	// A reduced move that beats the best score by this much is searched again one ply
	// deeper, one that barely does one ply less deep.
	deeperMargin = 64 // 10 to 150 by 12

	// Captures are skipped, in quiescence and in the search, if the evaluation, a base, their
	// history divided by captureHistory, for recaptures, recaptureMargin, and for each ply of
	// depth above 1, captureDepthMargin, less captureMoves for each natural logarithm of moves
	// tried, are at most alpha.
	captureBase        = 302 // 100 to 600 by 30
	captureHistory     = 98  // 20 to 400 by 10
	captureMoves       = 143 // 0 to 400 by 20
	recaptureMargin    = 191 // 0 to 400 by 20
	captureDepthMargin = 59  // 0 to 150 by 6
	// Checking drops are tried if the score is less than this much below alpha.
	quiescenceCheckMargin = 200 // 0 to 600 by 50

	// History: the reward of moves that cause a cutoff and the penalty of those tried
	// before, by depth.
	bonusSquare = 21   // 4 to 40 by 3
	bonusLinear = 98   // 30 to 320 by 25
	maxBonus    = 1763 // 800 to 4000 by 250
	malusSquare = 15   // 3 to 40 by 3
	malusLinear = 111  // 20 to 320 by 20
	maxMalus    = 1200 // 500 to 4000 by 200
	// A score this much above beta makes a cutoff count as one ply deeper.
	failHighMargin = 80 // 20 to 250 by 20
	// What [quietPrior] adds to quiet moves that give check, that attack a more valuable
	// piece (a pawn, any other piece), that attack an undefended piece, and that defend a
	// hanging one.
	checkBonus      = 16200 // 4000 to 32000 by 1500
	pawnThreatBonus = 11800 // 0 to 24000 by 1500
	threatBonus     = 9000  // 0 to 24000 by 1500
	undefendedBonus = 4700  // 0 to 16000 by 1000
	guardBonus      = 4800  // 0 to 16000 by 1000
)

// parameters is empty: this build changes none of them.
var parameters []Parameter
