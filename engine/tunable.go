//go:build !tune

package engine

//go:generate go run ./tune/gentunable

// The constants of the search that can be tuned, each with the bounds between
// which and the step with which `zhbot tune` looks for a better value: a build
// with the tag tune makes them options of the UCI engine. Scores are centipawns,
// reductions 1/1024 of a ply.
const (
	// Aspiration windows open at this half-width.
	aspirationWindow = 35 // 15 to 80 by 6

	// Reverse futility: a static evaluation this much per ply above beta is a
	// cutoff.
	reverseFutilityMargin = 70 // 40 to 120 by 8
	// Razoring: a static evaluation this much per ply below alpha leaves only
	// quiescence a chance.
	razorMargin = 350 // 150 to 600 by 40
	// Null move: one ply more of reduction for each such step above beta.
	nullEvalDivisor = 200 // 80 to 400 by 30

	// Late quiet moves that give no check are skipped at low depth when more
	// than lateMoveBase + lateMoveFactor·depth² moves were tried, half that
	// when not improving. With drops the good moves come late: three times
	// what chess engines try gained 41 ± 60 Elo (120 games of 15,000 nodes).
	lateMoveBase   = 12 // 5 to 30 by 3
	lateMoveFactor = 3  // 2 to 6 by 1

	// Futility: quiet moves are skipped when the evaluation plus base and
	// margin per ply stays below alpha. Plies are those that reductions leave.
	futilityBase   = 150 // 60 to 300 by 20
	futilityMargin = 115 // 60 to 200 by 12

	// SEE pruning: captures and checks may lose this much per ply, other quiet
	// moves this much per ply squared, of those that reductions leave.
	seeCaptureMargin = 100 // 40 to 220 by 15
	seeQuietMargin   = 30  // 10 to 70 by 5
	// A capture may lose its history divided by seeHistory more, at most this
	// much per ply.
	seeHistory     = 48 // 16 to 128 by 10
	seeHistoryMost = 60 // 0 to 150 by 15

	// Late move reductions: log(depth)·log(moves) hundred times divided by
	// reductionDivisor, plus a base, less the history divided by
	// reductionHistory.
	reductionDivisor = 195  // 140 to 300 by 10
	reductionBase    = 0    // -1024 to 1024 by 100
	reductionHistory = 8192 // 3000 to 16000 by 800
	// What is added where the node is expected to be cut off, the side to move
	// is not improving, many nodes of the next ply were cut off, the hash move
	// captures, or a drop is far from both kings.
	reduceExpectCut    = 1024 // 0 to 2560 by 150
	reduceNotImproving = 1024 // 0 to 2560 by 150
	reduceCutoffs      = 1024 // 0 to 2560 by 150
	reduceNoisyHash    = 1024 // 0 to 2560 by 150
	reduceFarDrop      = 1024 // 0 to 2560 by 150
	// What is taken off in PV nodes, for checks and for captures.
	reducePV      = 1024 // 0 to 2560 by 150
	reduceCheck   = 1024 // 0 to 2560 by 150
	reduceCapture = 1024 // 0 to 2560 by 150
	// A reduced move that surprises by so much is searched one ply deeper, one
	// that hardly does is searched one less.
	deeperMargin = 50 // 10 to 150 by 12

	// Quiescence: a capture is skipped when even its gain and this margin
	// leave the score below alpha.
	quiescenceMargin = 200 // 80 to 400 by 30
	// Checking drops are tried when the score is at most this much below alpha.
	quiescenceCheckMargin = 200 // 0 to 600 by 50

	// History: what moves gain that cut off, and lose that were tried before, by
	// depth.
	bonusSquare = 16   // 4 to 40 by 3
	bonusLinear = 128  // 30 to 320 by 25
	bonusMost   = 2000 // 800 to 4000 by 250
	malusSquare = 12   // 3 to 40 by 3
	malusLinear = 96   // 20 to 320 by 20
	malusMost   = 1200 // 500 to 4000 by 200
	// surprise above beta makes a cutoff count as one ply deeper.
	surprise = 80 // 20 to 250 by 20
	// checkBonus puts quiet moves that give check before most others.
	checkBonus = 10000 // 2000 to 24000 by 1500
)

// parameters is empty: this build changes none of them.
var parameters []Parameter
