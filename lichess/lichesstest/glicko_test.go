package lichesstest

import (
	"math"
	"testing"
)

func near(got, want, tolerance float64) bool { return math.Abs(got-want) < tolerance }

// The example of Glickman's paper.
func TestGlicko_PublishedExample(t *testing.T) {
	got := glicko{1500, 200, 0.06}.after(0.5, 1,
		gameScore{opponent: glicko{1400, 30, 0.06}, score: 1},
		gameScore{opponent: glicko{1550, 100, 0.06}},
		gameScore{opponent: glicko{1700, 300, 0.06}})
	if !near(got.rating, 1464.06, 0.02) || !near(got.deviation, 151.52, 0.01) || !near(got.volatility, 0.05999, 0.00001) {
		t.Errorf("got %+v", got)
	}
}

func TestGlicko_Bounds(t *testing.T) {
	settled := glicko{1500, minDeviation, 0.06}
	for range 300 {
		settled = settled.after(ratingTau, 0, gameScore{opponent: settled, score: 0.5}).bounded(settled)
	}
	if settled.deviation != minDeviation {
		t.Errorf("deviation %g after 300 games", settled.deviation)
	}
	if got := (glicko{450, 600, 0.2}).bounded(glicko{1500, 500, 0.09}); got != (glicko{800, 500, 0.1}) {
		t.Errorf("a fall of 1050 became %+v", got)
	}
	if got := (glicko{300, 60, 0.06}).bounded(glicko{410, 60, 0.06}); got.rating != 400 {
		t.Errorf("rating %g", got.rating)
	}
	if got := (glicko{4100, 60, 0.06}).bounded(glicko{3990, 60, 0.06}); got.rating != 4000 {
		t.Errorf("rating %g", got.rating)
	}
}

// A surprise raises the volatility.
func TestGlicko_Surprise(t *testing.T) {
	strong, weak := glicko{2400, 50, 0.06}, glicko{1400, 50, 0.06}
	if got := weak.after(ratingTau, 0, gameScore{opponent: strong, score: 1}); got.volatility <= weak.volatility || got.rating <= weak.rating {
		t.Errorf("after a surprising win %+v", got)
	}
	if got := strong.after(ratingTau, 0, gameScore{opponent: weak, score: 1}); got.volatility > strong.volatility {
		t.Errorf("after an expected win %+v", got)
	}
}
