package train

import (
	"math"

	"github.com/zhbot/zhbot/rules"
)

// Generations of networks do not mean the same by a centipawn. How often a side
// that is so many centipawns ahead goes on to win is the measure they share: a
// file's scale is the score at which it wins 73 % of its games, fitted by logistic
// regression of results on scores.

const (
	maxFitScore        = 2000 // scores beyond say nothing about the scale
	minScale, maxScale = 20, 5000
)

// scaleFit collects scores and results. The zero value is empty.
type scaleFit struct {
	plies, points [2*maxFitScore + 1]float64 // by score; points are White's
}

func (f *scaleFit) add(g *Game) {
	points := g.Result.Points(rules.White)
	for _, p := range g.Plies {
		if i := int(p.Score) + maxFitScore; i >= 0 && i < len(f.plies) {
			f.plies[i]++
			f.points[i] += points
		}
	}
}

// scale returns the scale, and whether results and scores tell one.
func (f *scaleFit) scale() (centipawns float64, ok bool) {
	slope := 1.0 / 400
	for range 100 { // Newton's method
		gradient, curvature := 0.0, 0.0
		for i, n := range f.plies {
			score := float64(i - maxFitScore)
			p := sigmoid(slope * score)
			gradient += (f.points[i] - n*p) * score
			curvature += n * p * (1 - p) * score * score
		}
		if curvature == 0 {
			return 0, false
		}
		next := min(max(slope+gradient/curvature, 1.0/maxScale), 1.0/minScale)
		if math.Abs(next-slope) < 1e-9 {
			break
		}
		slope = next
	}
	return 1 / slope, slope > 1.0/maxScale && slope < 1.0/minScale
}
