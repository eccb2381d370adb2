package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/rules"
)

// leveledGame returns a casual game at a level against a person.
func leveledGame(at float64, rival string, rating int, color rules.Color, won bool) *record.PlayerView {
	result := rules.WinOf(color.Other())
	if won {
		result = rules.WinOf(color)
	}
	return &record.PlayerView{
		Summary: &record.Summary{Level: human.FormatLevel(at), Result: result}, Color: color,
		Opponent: record.Player{Name: rival, Rating: rating},
	}
}

// Without games, the ratings are the guess.
func TestLeveledGames_Guess(t *testing.T) {
	l := NewLeveledGames()
	for _, change := range []func(*record.PlayerView){
		func(g *record.PlayerView) { g.Rated = true },
		func(g *record.PlayerView) { g.Level = "" },
		func(g *record.PlayerView) { g.Level = record.LevelVaried },
		func(g *record.PlayerView) { g.Opponent.Title = "BOT" },
		func(g *record.PlayerView) { g.Opponent.Rating = 0 },
		func(g *record.PlayerView) { g.Result = rules.NoResult },
	} {
		g := leveledGame(5, "x", 1500, rules.White, true)
		change(g)
		l.Add(g)
	}
	c := l.calibrate()
	if got, want := l.Scale(), human.GuessedScale(); got != want || c.Games != 0 || c.Levels[5].Error < 300 {
		t.Errorf("%+v, want the guess, with wide errors", c)
	}
}

// A simulated year: the fit finds the ratings of the levels that were put in, with errors
// that are right, also for levels between whole ones, and more surely the more games.
func TestLeveledGames_Calibrate(t *testing.T) {
	truth := human.GuessedScale()
	for i := range truth {
		truth[i] += 180 - 12*float64(i)
	}
	random := rand.New(rand.NewPCG(30, 1)) //nolint:gosec // no secret depends on it
	l := NewLeveledGames()
	first := 0.0
	for n := range 1500 {
		rival := random.IntN(100)
		strength := 1300 + 1000*float64(rival)/100
		rating := int(strength + 60*math.Sin(float64(rival)))
		at := min(max(truth.Level(strength)+2*random.NormFloat64(), 0), 14)
		color := [...]rules.Color{rules.White, rules.Black}[n%2]
		lead := truth.Rating(at) - strength
		l.Add(leveledGame(at, fmt.Sprint("rival", rival), rating, color,
			random.Float64() < 1/(1+math.Pow(10, -lead/400))))
		if n == 300 {
			first = l.calibrate().Levels[7].Error
		}
	}
	c := l.calibrate()
	if c.Games < 1400 || c.Levels[7].Games < 50 {
		t.Errorf("%d games, %+v", c.Games, c.Levels[7])
	}
	for i, r := range c.Levels {
		if i > 0 && r.Elo < c.Levels[i-1].Elo {
			t.Errorf("level %d is weaker than the one below", i)
		}
		if off := math.Abs(r.Elo - truth[i]); off > 2*r.Error || r.Games > 100 && off > 120 {
			t.Errorf("level %d: %.0f ± %.0f, want %.0f", i, r.Elo, r.Error, truth[i])
		}
	}
	if late := c.Levels[7].Error; late > 0.75*first || c.Levels[20].Error < 2*late {
		t.Errorf("errors: %.0f after 300 games, %.0f after all; %.0f for a level that was not played", first, late,
			c.Levels[20].Error)
	}
}

// Games against opponents far too weak or too strong leave the ratings finite.
func TestLeveledGames_Extremes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		l := NewLeveledGames()
		for range 1 + rng.IntN(25) {
			g := leveledGame(float64(rng.IntN(human.MaxLevel+1)), fmt.Sprint(rng.IntN(6)),
				[]int{1, 400, 1500, 3000, 4000}[rng.IntN(5)], rules.Color(rng.IntN(2)), rng.IntN(2) == 0)
			g.Opponent.Provisional = rng.IntN(2) == 0
			l.Add(g)
		}
		for _, at := range l.calibrate().Levels {
			if math.IsNaN(at.Elo) || math.IsNaN(at.Error) {
				t.Fatalf("%+v", at)
			}
		}
	}
}
