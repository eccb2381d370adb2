package opponent

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// nearSettings are those of levels near the opponent's.
func nearSettings() *config.Config {
	return &config.Config{Challenges: config.Challenges{Humans: config.HumanTerms{Level: config.Near}}}
}

// sparred records a casual game as White against rival at a level.
func sparred(t *testing.T, m *Memory, n int, at float64, result rules.Result) {
	t.Helper()
	g := played(t, twentyPlies, rules.White, result)
	g.ID, g.Created, g.Level = fmt.Sprint("sparring", n), start.Add(time.Duration(n)*time.Hour), human.FormatLevel(at)
	g.Black = record.Player{Name: "Rival", Rating: 1800}
	m.Played(g, rules.White)
}

// The level ends near the strength of people whose results follow Elo's formula, however
// wrong their ratings are: of 100, within 150 points for 95 % after 30 games, and never in
// leaps.
func TestMemory_LevelConverges(t *testing.T) {
	const people, games = 100, 30
	scale, random, near := human.GuessedScale(), rand.New(rand.NewPCG(30, 5)),
		0 //nolint:gosec // no secret depends on it
	for i := range people {
		strength := 1200 + 1200*random.Float64()
		p := &lichess.Player{ID: "rival", Rating: int(strength + 800*random.Float64() - 400), Provisional: i%4 == 0}
		m := NewMemory(record.InMemoryState(), zerolog.Nop())
		before := math.NaN()
		for n := range games {
			at := m.Level(p, config.Near, nearSettings(), start)
			if step := math.Abs(scale.Rating(at) - before); step > maxStepShare*provisionalDeviation+1 {
				t.Fatalf("person %d, game %d: the level changes by %.0f points", i, n, step)
			}
			before = scale.Rating(at)
			result := rules.WhiteWins
			if random.Float64() < 1/(1+math.Pow(10, (before-strength)/400)) {
				result = rules.BlackWins
			}
			sparred(t, m, n, at, result)
		}
		if math.Abs(scale.Rating(m.Level(p, config.Near, nearSettings(), start))-strength) <= 150 {
			near++
		}
	}
	if t.Logf("%d of %d people", near, people); near < people*95/100 {
		t.Errorf("the level is near the strength of %d people of %d", near, people)
	}
}

// Only casual games with people below full strength count.
func TestMemory_LevelByGames(t *testing.T) {
	p := &lichess.Player{ID: "rival", Rating: 1800}
	for name, tt := range map[string]struct {
		change func(*record.Game)
		counts bool
	}{
		"casual":          {func(*record.Game) {}, true},
		"rated":           {func(g *record.Game) { g.Rated = true }, false},
		"a bot":           {func(g *record.Game) { g.Black.Title = "BOT" }, false},
		"full strength":   {func(g *record.Game) { g.Level = "" }, false},
		"several levels":  {func(g *record.Game) { g.Level = record.LevelVaried }, false},
		"no result":       {func(g *record.Game) { g.Result = rules.NoResult }, false},
		"an invalid tag":  {func(g *record.Game) { g.Level = "-3" }, false},
		"a few plies":     {func(g *record.Game) { g.Board.TakeBack(g.Board.Ply() - fewestSparringPlies + 1) }, false},
		"another person":  {func(g *record.Game) { g.Black.Name = "Other" }, false},
		"as few as count": {func(g *record.Game) { g.Board.TakeBack(g.Board.Ply() - fewestSparringPlies) }, true},
	} {
		m := NewMemory(record.InMemoryState(), zerolog.Nop())
		g := played(t, twentyPlies, rules.White, rules.WhiteWins)
		g.Black, g.Level = record.Player{Name: "Rival", Rating: 1800}, "9"
		tt.change(g)
		m.Played(g, rules.White)
		if counted := m.strength(p) != 1800; counted != tt.counts {
			t.Errorf("%s: counted is %t", name, counted)
		}
	}
}

// A game lost below full strength says nothing of the moves that lost it.
func TestMemory_LosesNothingBelowFullStrength(t *testing.T) {
	for tag, want := range map[string]int{"": 1, "9": 0, record.LevelVaried: 0} {
		m := NewMemory(record.InMemoryState(), zerolog.Nop())
		g := played(t, twentyPlies, rules.White, rules.BlackWins)
		g.Level = tag
		if m.Played(g, rules.White); len(m.losing) != want {
			t.Errorf("level %q: %d losing moves", tag, len(m.losing))
		}
	}
}

// After many games below full strength, the levels are rated by their results.
func TestMemory_CalibratesLevels(t *testing.T) {
	m := newMemory()
	for n := range 100 {
		if m.Scale() != human.GuessedScale() {
			t.Fatalf("calibrated by %d games", n)
		}
		sparred(t, m, n, 9, rules.BlackWins)
	}
	if m.Scale() == human.GuessedScale() {
		t.Error("not calibrated")
	}
}

// A wish lasts for a series of games, over restarts, and no longer.
func TestMemory_Wishes(t *testing.T) {
	dir, scale, p := t.TempDir(), human.GuessedScale(), &lichess.Player{ID: "rival", Rating: 1800}
	open := func() *Memory {
		state, err := record.OpenState(dir)
		if err != nil {
			t.Fatal(err)
		}
		return NewMemory(state, zerolog.Nop())
	}
	check := func(what string, m *Memory, now time.Time, want float64) {
		t.Helper()
		if got := m.Level(p, config.Near, nearSettings(), now); math.Abs(scale.Rating(got)-want) > 1e-6 {
			t.Errorf("%s: %.0f, want %.0f", what, scale.Rating(got), want)
		}
	}
	m := open()
	m.RequestLevel(p, "1500", start)
	m.ShiftLevel(p, 100, start)
	m.Save()
	check("1500, and harder", m, start, 1600)
	m = open()
	check("after a restart", m, start.Add(time.Hour), 1600)
	m.Began("g", "other", false, start, start.Add(time.Hour)) // which drops what is worth nothing
	m.KeepLevel(p, start.Add(11*time.Hour))
	check("after another game", m, start.Add(20*time.Hour), 1600)
	check("in another series", m, start.Add(24*time.Hour), 1800)
	m.ShiftLevel(p, -100, start.Add(24*time.Hour))
	check("then easier", m, start.Add(24*time.Hour), 1700)
	if m.KeepLevel(&lichess.Player{ID: "nobody"}, start); m.wish("nobody", start).Until != (time.Time{}) {
		t.Error("a wish of somebody who has none is kept")
	}
}
