package train

import (
	"math"

	"github.com/zhbot/zhbot/engine/selfplay"
	"github.com/zhbot/zhbot/rules"
)

// Objective is what the network learns to predict for a position: a blend of its score, as
// a winning probability, and of the outcome of the game from there on.
//
// The result of one game is weak evidence about a position many moves earlier, so the
// outcome is a TD(λ) return (Sutton, 1988): at each ply, going back from the result, it
// moves towards that ply's score by the factor 1 - λ.
type Objective struct {
	ResultWeight float64 // weight of the outcome; the score has the rest
	Fade         float64 // 1 - λ; 0: the outcome is the result
	ScoreScale   float64 // score in centipawns that is learned as a winning probability of 73 %
}

// DefaultObjective returns the objective of the embedded network.
func DefaultObjective() Objective {
	return Objective{ResultWeight: 0.6, Fade: 0.025, ScoreScale: 500}
}

// targets returns for each ply of a game the expected points of White, 0 to 1. Scores are
// multiplied by factor.
func (o Objective) targets(g *selfplay.Game, factor float64) []float32 {
	out := make([]float32, len(g.Plies))
	outcome := g.Result.Points(rules.White)
	for i := len(out) - 1; i >= 0; i-- {
		current := sigmoid(factor * float64(g.Plies[i].Score) / o.ScoreScale)
		out[i] = float32((1-o.ResultWeight)*current + o.ResultWeight*outcome)
		outcome += o.Fade * (current - outcome)
	}
	return out
}

// target is what a sample teaches.
type target struct {
	points float32 // points for White, 0 to 1
	turn   rules.Color
	inHand uint8 // pieces in both pockets
}

// sideToMoveTarget returns the expected points of the side to move. This is the only
// conversion from White's view.
func (t target) sideToMoveTarget() float32 {
	if t.turn == rules.Black {
		return 1 - t.points
	}
	return t.points
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// A centipawn differs between networks. What they have in common is how often a lead wins:
// the scale of a file is the score that wins 73 % of its games, fitted by logistic
// regression of results on scores.

const (
	maxFitScore        = 2000 // larger scores are ignored
	minScale, maxScale = 20, 5000
)

// scaleFit collects scores and results. The zero value is empty.
type scaleFit struct {
	plies, points [2*maxFitScore + 1]float64 // by score; points are White's
}

func (f *scaleFit) add(g *selfplay.Game) {
	points := g.Result.Points(rules.White)
	for _, p := range g.Plies {
		if i := int(p.Score) + maxFitScore; i >= 0 && i < len(f.plies) {
			f.plies[i]++
			f.points[i] += points
		}
	}
}

// scale returns the scale in centipawns, 0 if the data do not determine one. It is that of the
// most likely slope, above which the gradient is negative.
func (f *scaleFit) scale() float64 {
	const least, most = 1.0 / maxScale, 1.0 / minScale
	low, high := least, most
	for range 50 {
		slope, gradient := (low+high)/2, 0.0
		for i, n := range f.plies {
			score := float64(i - maxFitScore)
			gradient += (f.points[i] - n*sigmoid(slope*score)) * score
		}
		if gradient > 0 {
			low = slope
		} else {
			high = slope
		}
	}
	if low == least || high == most {
		return 0
	}
	return 1 / low
}
