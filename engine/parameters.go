package engine

// Parameters are the constants of the search that can be tuned. Scores are in centipawns,
// reductions in 1/1024 of a ply. What is not tuned is in constants.go.
type Parameters struct {
	// Time management: the clock is spread over moveHorizon moves, less horizonDecline for
	// every hundred moves of the game so far, at least minHorizon.
	moveHorizon, horizonDecline, minHorizon int
	// incrementPercent of the increment is spent on each move.
	incrementPercent int
	// reservePercent of the clock is never planned for; see maxReserve.
	reservePercent int
	// A move takes newPercent more than stablePercent of the optimum while its best move
	// is new. With each depth that keeps it, newDecay percent of that remain.
	stablePercent, newPercent, newDecay int
	// dropPercent more is taken for each pawn by which the score has just dropped.
	dropPercent int
	// The maximum time is maximumPercent of the optimum, and apart from the increment, at
	// most maxMovePercent of the clock.
	maximumPercent, maxMovePercent int

	// Aspiration windows start with this half-width.
	aspirationWindow int

	// Reverse futility: a static evaluation this much per ply above beta is a cutoff.
	reverseFutilityMargin int
	// Razoring: with a static evaluation this much per ply below alpha, the node is
	// searched in quiescence.
	razorMargin int
	// Null move: one more ply of reduction for each such amount above beta.
	nullEvalDivisor int

	// Futility: quiet moves are skipped from the first on for which the evaluation, a base,
	// a margin per ply, and the score of the move divided by futilityScore, less futilityMoves
	// for each natural logarithm of moves tried, are at most alpha.
	futilityBase, futilityDepthMargin, futilityScore, futilityMoves int

	// SEE pruning: quiet checks may lose this much per ply, other quiet moves this much per
	// ply squared. Plies of the latter are counted after reductions.
	seeCheckMargin, seeQuietMargin int

	// Late move reductions: 100·log(depth)·log(moves) divided by reductionDivisor, plus a
	// base, minus the history divided by reductionHistory.
	reductionDivisor, reductionBase, reductionHistory int
	// Added at expected cut nodes, when not improving, when many nodes of the next ply
	// were cut off, when the hash move is a capture, and for drops far from both kings.
	reduceCutNode, reduceNotImproving, reduceCutoffs, reduceNoisyHash, reduceFarDrop int
	// Subtracted in PV nodes, for checks, and for captures.
	reducePV, reduceCheck, reduceCapture int
	// Added for each centipawn by which the evaluation after a quiet move is worse than
	// alpha, less reduceEvalBase; subtracted if that is negative. The maxima of both.
	reduceEvalBase, reduceEval, maxEvalAdded, maxEvalSubtracted int
	// A reduced move that beats the best score by this much is searched again one ply
	// deeper, one that barely does one ply less deep.
	deeperMargin int

	// Captures are skipped, in quiescence and in the search, if the evaluation, a base, their
	// history divided by captureHistory, for recaptures, recaptureMargin, and for each ply of
	// depth above 1, captureDepthMargin, less captureMoves for each natural logarithm of moves
	// tried, are at most alpha.
	captureBase, captureHistory, captureMoves, recaptureMargin, captureDepthMargin int
	// Checking drops are tried if the score is less than this much below alpha.
	quiescenceCheckMargin int

	// History: the reward of moves that cause a cutoff and the penalty of those tried
	// before, by depth.
	bonusSquare, bonusLinear, maxBonus, malusSquare, malusLinear, maxMalus int
	// A score this much above beta makes a cutoff count as one ply deeper.
	failHighMargin int
	// What [quietPrior] adds to quiet moves that give check, that attack a more valuable
	// piece (a pawn, any other piece), that attack an undefended piece, and that defend a
	// hanging one.
	checkBonus, pawnThreatBonus, threatBonus, undefendedBonus, guardBonus int
}

// Parameter is one of the [Parameters], a number from Min to Max. Step is the smallest change
// that a match can measure.
type Parameter struct {
	Name                    string
	Default, Min, Max, Step int
	value                   *int
}

// Set sets the parameter, to a value from Min to Max.
func (p Parameter) Set(value int) { *p.value = value }

// List returns all parameters.
func (p *Parameters) List() []Parameter {
	return []Parameter{
		{"moveHorizon", 36, 20, 60, 3, &p.moveHorizon},
		{"horizonDecline", 72, 0, 120, 12, &p.horizonDecline},
		{"minHorizon", 16, 6, 40, 3, &p.minHorizon},
		{"incrementPercent", 79, 30, 110, 8, &p.incrementPercent},
		{"reservePercent", 15, 4, 30, 3, &p.reservePercent},
		{"stablePercent", 35, 30, 100, 6, &p.stablePercent},
		{"newPercent", 102, 20, 220, 14, &p.newPercent},
		{"newDecay", 61, 30, 92, 6, &p.newDecay},
		{"dropPercent", 117, 0, 300, 25, &p.dropPercent},
		{"maximumPercent", 412, 200, 1000, 60, &p.maximumPercent},
		{"maxMovePercent", 27, 8, 45, 3, &p.maxMovePercent},
		{"aspirationWindow", 35, 15, 80, 6, &p.aspirationWindow},
		{"reverseFutilityMargin", 64, 40, 120, 8, &p.reverseFutilityMargin},
		{"razorMargin", 302, 150, 600, 40, &p.razorMargin},
		{"nullEvalDivisor", 232, 80, 400, 30, &p.nullEvalDivisor},
		{"futilityBase", 62, 0, 300, 15, &p.futilityBase},
		{"futilityDepthMargin", 45, 0, 150, 6, &p.futilityDepthMargin},
		{"futilityScore", 268, 50, 1000, 30, &p.futilityScore},
		{"futilityMoves", 110, 0, 300, 10, &p.futilityMoves},
		{"seeCheckMargin", 257, 40, 400, 15, &p.seeCheckMargin},
		{"seeQuietMargin", 36, 10, 70, 5, &p.seeQuietMargin},
		{"reductionDivisor", 162, 140, 300, 10, &p.reductionDivisor},
		{"reductionBase", 390, -1024, 1024, 100, &p.reductionBase},
		{"reductionHistory", 7323, 3000, 16000, 800, &p.reductionHistory},
		{"reduceCutNode", 851, 0, 2560, 150, &p.reduceCutNode},
		{"reduceNotImproving", 1034, 0, 2560, 150, &p.reduceNotImproving},
		{"reduceCutoffs", 844, 0, 2560, 150, &p.reduceCutoffs},
		{"reduceNoisyHash", 1170, 0, 2560, 150, &p.reduceNoisyHash},
		{"reduceFarDrop", 1169, 0, 2560, 150, &p.reduceFarDrop},
		{"reducePV", 1129, 0, 2560, 150, &p.reducePV},
		{"reduceCheck", 1024, 0, 2560, 150, &p.reduceCheck},
		{"reduceCapture", 772, 0, 2560, 150, &p.reduceCapture},
		{"reduceEvalBase", 75, 0, 300, 20, &p.reduceEvalBase},
		{"reduceEval", 8, 0, 24, 2, &p.reduceEval},
		{"maxEvalAdded", 1765, 0, 4096, 250, &p.maxEvalAdded},
		{"maxEvalSubtracted", 808, 0, 2048, 150, &p.maxEvalSubtracted},
		{"deeperMargin", 64, 10, 150, 12, &p.deeperMargin},
		{"captureBase", 302, 100, 600, 30, &p.captureBase},
		{"captureHistory", 98, 20, 400, 10, &p.captureHistory},
		{"captureMoves", 143, 0, 400, 20, &p.captureMoves},
		{"recaptureMargin", 191, 0, 400, 20, &p.recaptureMargin},
		{"captureDepthMargin", 59, 0, 150, 6, &p.captureDepthMargin},
		{"quiescenceCheckMargin", 200, 0, 600, 50, &p.quiescenceCheckMargin},
		{"bonusSquare", 21, 4, 40, 3, &p.bonusSquare},
		{"bonusLinear", 98, 30, 320, 25, &p.bonusLinear},
		{"maxBonus", 1763, 800, 4000, 250, &p.maxBonus},
		{"malusSquare", 15, 3, 40, 3, &p.malusSquare},
		{"malusLinear", 111, 20, 320, 20, &p.malusLinear},
		{"maxMalus", 1200, 500, 4000, 200, &p.maxMalus},
		{"failHighMargin", 80, 20, 250, 20, &p.failHighMargin},
		{"checkBonus", 16200, 4000, 32000, 1500, &p.checkBonus},
		{"pawnThreatBonus", 11800, 0, 24000, 1500, &p.pawnThreatBonus},
		{"threatBonus", 9000, 0, 24000, 1500, &p.threatBonus},
		{"undefendedBonus", 4700, 0, 16000, 1000, &p.undefendedBonus},
		{"guardBonus", 4800, 0, 16000, 1000, &p.guardBonus},
	}
}

// DefaultParameters returns the values that were found best.
func DefaultParameters() (p Parameters) {
	for _, row := range p.List() {
		row.Set(row.Default)
	}
	return p
}
