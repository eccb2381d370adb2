package stats

import (
	"math"
	"testing"
)

// Without games a plan is that of coin tosses: the error of a difference is 1.96 times
// 4/(√n·ln(10)/400).
func TestPlan_WithoutGames(t *testing.T) {
	var none RatedGames
	p := none.Plan(20)
	if want := square(1.96 * 4 / eloUnit / 20); p.Games != int(math.Ceil(want)) || p.Opponents != 0 ||
		len(p.Days) != 3 || p.Days[0] != (PlanDays{100, 47}) || p.Days[2] != (PlanDays{50, 93}) {
		t.Errorf("plan %+v, want %.0f games", p, want)
	}
}

// After as many games as planned, the error is the planned one.
func TestPlan(t *testing.T) {
	l := ordinary
	l.games = 400
	p := l.play(1).Plan(40)
	if len(l.play(1).opponents) != p.Opponents || p.Humans < 10 || p.Humans > 50 {
		t.Errorf("plan %+v", p)
	}
	if days := float64(p.Games) / (100 + p.Humans); math.Abs(float64(p.Days[0].Days)-days) > 1 {
		t.Errorf("plan %+v, want %.1f days", p, days)
	}
	l.games = p.Games
	if d := l.play(1).Compare().Differences[0]; math.Abs(d.Error-40) > 3 {
		t.Errorf("±%.1f after %d games, planned were ±40", d.Error, p.Games)
	}
}
