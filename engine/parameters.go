package engine

import (
	"fmt"
	"reflect"
	"strings"
)

// Parameters are the constants of the search that can be tuned. The tag of each has its
// default, its minimum and maximum, and its step. Scores are in centipawns, reductions in
// 1/1024 of a ply. What is not tuned is in constants.go.
type Parameters struct {
	// Time management: the clock is spread over MoveHorizon moves, less HorizonDecline for
	// every hundred moves of the game so far, at least MinHorizon.
	MoveHorizon    int `tune:"36 20 60 3"`
	HorizonDecline int `tune:"72 0 120 12"`
	MinHorizon     int `tune:"16 6 40 3"`
	// IncrementPercent of the increment is spent on each move.
	IncrementPercent int `tune:"79 30 110 8"`
	// ReservePercent of the clock is never planned for; see maxReserve.
	ReservePercent int `tune:"15 4 30 3"`
	// A move takes NewPercent more than StablePercent of the optimum while its best move
	// is new. With each depth that keeps it, NewDecay percent of that remain.
	StablePercent int `tune:"35 30 100 6"`
	NewPercent    int `tune:"102 20 220 14"`
	NewDecay      int `tune:"61 30 92 6"`
	// DropPercent more is taken for each pawn by which the score has just dropped.
	DropPercent int `tune:"117 0 300 25"`
	// Of that it takes EffortBase percent, less EffortSlope times the share of the root's nodes
	// that searched the best move.
	EffortBase  int `tune:"200 60 300 15"`
	EffortSlope int `tune:"130 0 250 15"`
	// The maximum time is MaximumPercent of the optimum, and apart from the increment, at
	// most MaxMovePercent of the clock.
	MaximumPercent int `tune:"412 200 1000 60"`
	MaxMovePercent int `tune:"27 8 45 3"`

	// Aspiration windows start with this half-width.
	AspirationWindow int `tune:"39 15 80 6"`

	// Reverse futility: a static evaluation this much per ply above beta is a cutoff.
	ReverseFutilityMargin int `tune:"59 40 120 8"`
	// The same by its correction, in percent, since what needs a correction is less certain.
	CorrectionMargin int `tune:"90 0 200 25"`
	// Razoring: with a static evaluation this much per ply below alpha, the node is
	// searched in quiescence.
	RazorMargin int `tune:"302 150 600 40"`
	// Null move: one more ply of reduction for each such amount above beta.
	NullEvalDivisor int `tune:"232 80 400 30"`

	// Futility: quiet moves are skipped from the first on for which the evaluation, a base,
	// a margin per ply, and the score of the move divided by FutilityScore, less FutilityMoves
	// for each natural logarithm of moves tried, are at most alpha.
	FutilityBase        int `tune:"44 0 300 15"`
	FutilityDepthMargin int `tune:"49 0 150 6"`
	FutilityScore       int `tune:"214 50 1000 30"`
	FutilityMoves       int `tune:"103 0 300 10"`
	// Added to the margins of all moves in PV nodes, and subtracted at expected cut nodes.
	FutilityPV      int `tune:"52 0 150 15"`
	FutilityCutNode int `tune:"15 0 60 8"`

	// SEE pruning: quiet checks may lose this much per ply, other quiet moves this much per
	// ply squared. Plies of the latter are counted after reductions.
	SeeCheckMargin int `tune:"270 40 400 15"`
	SeeQuietMargin int `tune:"36 10 70 5"`
	// To both is added the score of the move divided by SeeScore.
	SeeScore int `tune:"400 200 2000 100"`

	// Late move reductions: 100·log(depth)·log(moves) divided by ReductionDivisor, plus a
	// base, minus the history divided by ReductionHistory.
	ReductionDivisor int `tune:"185 140 300 10"`
	ReductionBase    int `tune:"205 -1024 1024 100"`
	ReductionHistory int `tune:"6436 3000 16000 800"`
	// Added at expected cut nodes, when not improving, when many nodes of the next ply
	// were cut off, when the hash move is a capture, and for drops far from both kings.
	ReduceCutNode      int `tune:"722 0 2560 150"`
	ReduceNotImproving int `tune:"911 0 2560 150"`
	ReduceCutoffs      int `tune:"844 0 2560 150"`
	ReduceNoisyHash    int `tune:"1060 0 2560 150"`
	ReduceFarDrop      int `tune:"1169 0 2560 150"`
	// Subtracted in PV nodes, for drops, for checks, and for captures.
	ReducePV      int `tune:"1129 0 2560 150"`
	ReduceDrop    int `tune:"320 -1024 2560 150"`
	ReduceCheck   int `tune:"1024 0 2560 150"`
	ReduceCapture int `tune:"749 0 2560 150"`
	// Added for each centipawn by which the evaluation after a quiet move is worse than
	// alpha, less ReduceEvalBase; subtracted if that is negative. The maxima of both.
	ReduceEvalBase    int `tune:"54 0 300 20"`
	ReduceEval        int `tune:"6 0 24 2"`
	MaxEvalAdded      int `tune:"1765 0 4096 250"`
	MaxEvalSubtracted int `tune:"635 0 2048 150"`
	// A reduced move that beats the best score by this much is searched again one ply
	// deeper, one that barely does one ply less deep.
	DeeperMargin int `tune:"54 10 150 12"`

	// Captures are skipped, in quiescence and in the search, if the evaluation, a base, their
	// history divided by CaptureHistory, for recaptures, RecaptureMargin, and for each ply of
	// depth above 1, CaptureDepthMargin, less CaptureMoves for each natural logarithm of moves
	// tried, are at most alpha.
	CaptureBase        int `tune:"302 100 600 30"`
	CaptureHistory     int `tune:"87 20 400 10"`
	CaptureMoves       int `tune:"114 0 400 20"`
	RecaptureMargin    int `tune:"247 0 400 20"`
	CaptureDepthMargin int `tune:"59 0 150 6"`
	// Checking drops are tried if the score is less than this much below alpha.
	QuiescenceCheckMargin int `tune:"200 0 600 50"`

	// History: the reward of moves that cause a cutoff and the penalty of those tried
	// before, by depth.
	BonusSquare int `tune:"23 4 40 3"`
	BonusLinear int `tune:"181 30 320 25"`
	MaxBonus    int `tune:"1763 800 4000 250"`
	MalusSquare int `tune:"15 3 40 3"`
	MalusLinear int `tune:"94 20 320 20"`
	MaxMalus    int `tune:"1080 500 4000 200"`
	// A score this much above beta makes a cutoff count as one ply deeper.
	FailHighMargin int `tune:"52 20 250 20"`
	// What [quietPrior] adds to quiet moves that give check, that attack a more valuable
	// piece (a pawn, any other piece), that attack an undefended piece, and that defend a
	// hanging one.
	CheckBonus      int `tune:"16200 4000 32000 1500"`
	PawnThreatBonus int `tune:"11800 0 24000 1500"`
	ThreatBonus     int `tune:"9000 0 24000 1500"`
	UndefendedBonus int `tune:"4700 0 16000 1000"`
	GuardBonus      int `tune:"4800 0 16000 1000"`
}

// Parameter is one of the [Parameters], a number from Min to Max. Step is the smallest change
// that a match can measure.
type Parameter struct {
	Name                    string // begins with a lower-case letter
	Default, Min, Max, Step int
	value                   *int
}

// Set sets the parameter, to a value from Min to Max.
func (p Parameter) Set(value int) { *p.value = value }

// List returns all parameters.
func (p *Parameters) List() (list []Parameter) {
	for field, value := range reflect.ValueOf(p).Elem().Fields() {
		row := Parameter{
			Name:  strings.ToLower(field.Name[:1]) + field.Name[1:],
			value: value.Addr().Interface().(*int),
		}
		_, err := fmt.Sscan(field.Tag.Get("tune"), &row.Default, &row.Min, &row.Max, &row.Step)
		if err != nil {
			panic(err) // TestParameters reads all tags
		}
		list = append(list, row)
	}
	return list
}

// DefaultParameters returns the values that were found best.
func DefaultParameters() (p Parameters) {
	for _, row := range p.List() {
		row.Set(row.Default)
	}
	return p
}
