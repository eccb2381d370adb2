package train

import (
	"math"

	"github.com/zhbot/zhbot/rules"
)

// Objective says what the network shall predict for a position: a blend of its
// score, as a winning probability, and of what came of it in the game.
//
// What came of it is the result, but the result of one game says little about a
// position many moves before. So each ply on the way takes a part, Fade, of the
// weight of all that comes after it for its own score: a return of temporal
// difference learning, TD(λ) with λ = 1 - Fade (Sutton, 1988).
type Objective struct {
	ResultWeight   float64 // share of what came of the position, its score has the rest
	OneMinusLambda float64 // 0: nothing but the result came of it
	ScoreScale     float64 // centipawns that are learned as a 73 % win
	Equalize       bool    // bring the scores of all files to one scale first
}

// DefaultObjective returns the objective of the network in the program.
func DefaultObjective() Objective {
	return Objective{ResultWeight: 0.6, OneMinusLambda: 0.025, ScoreScale: 500, Equalize: true}
}

// targets returns for each ply of a game the points that White may expect from
// it, 0 to 1, with its scores multiplied by a factor.
func (o Objective) targets(g *Game, factor float64) []float32 {
	out := make([]float32, len(g.Plies))
	later := g.Result.Points(rules.White)
	for i := len(out) - 1; i >= 0; i-- {
		now := sigmoid(factor * float64(g.Plies[i].Score) / o.ScoreScale)
		out[i] = float32((1-o.ResultWeight)*now + o.ResultWeight*later)
		later += o.OneMinusLambda * (now - later)
	}
	return out
}

// target is what a sample teaches.
type target struct {
	points float32 // points for White, 0 to 1
	turn   rules.Color
	inHand uint8 // pieces in both pockets
}

// sideToMoveTarget returns the expected points of the side to move. This is the one
// place where White's view becomes the mover's.
func (t target) sideToMoveTarget() float32 {
	if t.turn == rules.Black {
		return 1 - t.points
	}
	return t.points
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
