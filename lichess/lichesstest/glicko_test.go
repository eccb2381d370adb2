package lichesstest

import (
	"math"
	"testing"
)

func near(got, want, tolerance float64) bool { return math.Abs(got-want) < tolerance }

// The example of Glickman's paper on Glicko, in which time adds nothing to the deviation.
func TestGlicko_PublishedExample(t *testing.T) {
	got := glicko{1500, 200}.after(
		gameScore{opponent: glicko{1400, 30}, score: 1},
		gameScore{opponent: glicko{1550, 100}},
		gameScore{opponent: glicko{1700, 300}})
	if !near(got.rating, 1464.1, 0.1) || !near(got.deviation, 151.4, 0.05) {
		t.Errorf("got %+v", got)
	}
}

func TestGlicko_Bounds(t *testing.T) {
	settled := glicko{1500, minDeviation}
	for range 300 {
		settled = settled.after(gameScore{opponent: settled, score: 0.5}).bounded(settled)
	}
	if settled.deviation != minDeviation {
		t.Errorf("deviation %g after 300 games", settled.deviation)
	}
	if got := (glicko{450, 600}).bounded(glicko{1500, 500}); got != (glicko{800, 500}) {
		t.Errorf("a fall of 1050 became %+v", got)
	}
	if got := (glicko{300, 60}).bounded(glicko{410, 60}); got.rating != 400 {
		t.Errorf("rating %g", got.rating)
	}
	if got := (glicko{4100, 60}).bounded(glicko{3990, 60}); got.rating != 4000 {
		t.Errorf("rating %g", got.rating)
	}
}
