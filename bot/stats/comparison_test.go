package stats

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// ratedGame returns a rated game of ours as White against an opponent of 2000.
func ratedGame(contender, opponent string, result rules.Result) *record.PlayerView {
	return &record.PlayerView{
		Summary: &record.Summary{Rated: true, Contender: contender, Result: result, Speed: lichess.Blitz},
		Color:   rules.White, Opponent: record.Player{Name: opponent, Rating: 2000},
	}
}

// Without games of consequence there is nothing to compare.
func TestRatedGames_Ignored(t *testing.T) {
	var r RatedGames
	for _, change := range []func(*record.PlayerView){
		func(g *record.PlayerView) { g.Rated = false },
		func(g *record.PlayerView) { g.Result = rules.NoResult },
		func(g *record.PlayerView) { g.Opponent.Rating = 0 },
	} {
		g := ratedGame("a", "x", rules.WhiteWins)
		change(g)
		r.Add(g)
	}
	if c := r.Compare(); c != nil || r.HasContenders() {
		t.Errorf("compared as %+v", c)
	}
}

// Games that say nothing of strength are left out, unless all are asked for.
func TestRatedGames_LeftOut(t *testing.T) {
	changes := []func(*record.PlayerView){
		func(g *record.PlayerView) { g.Fallbacks = maxFallbacks + 1 },
		func(g *record.PlayerView) { g.Fallbacks = 30 },
		func(g *record.PlayerView) { g.Uncounted = record.Farming },
		func(g *record.PlayerView) { g.Status = lichess.StatusTimeout },
		func(g *record.PlayerView) { g.Status = lichess.StatusCheat },
		func(g *record.PlayerView) { g.Fallbacks = maxFallbacks },
		func(g *record.PlayerView) { g.Status = lichess.StatusOutOfTime },
	}
	var r RatedGames
	all := RatedGames{All: true}
	for i, change := range changes {
		g := ratedGame("a", "x", rules.WhiteWins)
		change(g)
		r.Add(g)
		all.Add(g)
		if c := r.Compare(); i < 5 && (c == nil || c.Games != 0 || !r.HasContenders()) {
			t.Errorf("game %d, compared as %+v", i, c)
		}
	}
	want := map[string]int{"too many fallback moves": 2, "not rated by Lichess": 1, "a player left": 1,
		"rules infraction": 1}
	if c := r.Compare(); c.Games != 2 || !maps.Equal(c.LeftOut, want) || c.Contenders[0].Games != 2 {
		t.Errorf("compared as %+v", c)
	}
	if c := all.Compare(); c.Games != len(changes) || len(c.LeftOut) != 0 {
		t.Errorf("with all, compared as %+v", c)
	}
}

// A provisional rating tells less of the strength, also of a player whose rating settles later.
func TestRatedGames_Provisional(t *testing.T) {
	compare := func(provisional bool) *Comparison {
		var r RatedGames
		for i := range 100 {
			g := ratedGame("a", "x", [...]rules.Result{rules.WhiteWins, rules.BlackWins}[i%2])
			g.Opponent.Provisional = provisional
			r.Add(g)
		}
		if provisional {
			r.Add(ratedGame("a", "x", rules.Draw))
		}
		return r.Compare()
	}
	settled, provisional := compare(false), compare(true)
	if settled.Opponents != 1 || provisional.Opponents != 2 ||
		provisional.Contenders[0].Error < settled.Contenders[0].Error+20 {
		t.Errorf("against a settled rating %+v, against a provisional one %+v", settled.Contenders,
			provisional.Contenders)
	}
}

// Contenders for different games are not compared.
func TestRatedGames_For(t *testing.T) {
	var r RatedGames
	for contender, result := range map[string]rules.Result{"a": rules.WhiteWins, "b": rules.Draw,
		"fast": rules.BlackWins} {
		g := ratedGame(contender, "x", result)
		if contender == "fast" {
			g.ContenderFor = "speeds: bullet"
		}
		r.Add(g)
	}
	if c := r.Compare(); len(c.Differences) != 1 || c.Differences[0].Stronger != "a" ||
		c.Differences[0].Weaker != "b" || c.Contenders[2].For != "speeds: bullet" {
		t.Errorf("compared as %+v", c)
	}
}

// Strengths at another time are those of that time.
func TestRatedGames_Drift(t *testing.T) {
	var r RatedGames
	for i := range 20000 {
		week := i / 1000
		g := ratedGame("a", fmt.Sprint(i%50), rules.BlackWins)
		g.Created = time.Unix(int64(week)*7*24*3600, 0)
		if i*7%100 < 40+week { // the score rises from 40 % to 59 %: by 134 Elo
			g.Result = rules.WhiteWins
		}
		r.Add(g)
	}
	c := r.Compare()
	if c.Drift == nil || math.Abs(c.Drift.Elo-134) > c.Drift.Error || c.Drift.Error > 40 || c.Bots != nil {
		t.Errorf("drift %+v, bots %+v", c.Drift, c.Bots)
	}
}

// A score of 3 in 4 against 2000 is a strength of 2191, that of 1 in 2 is 2000: the
// opponents are as many as the games, so little is known of them.
func TestRatedGames_Compare(t *testing.T) {
	var r RatedGames
	for i := range 400 {
		color, won := [...]rules.Color{rules.White, rules.Black}[i%2], i/2%4 > 0
		for _, g := range []struct {
			contender string
			won       bool
		}{{"good", won}, {"", i/2%2 > 0}} {
			view := ratedGame(g.contender, fmt.Sprint(g.contender, i), rules.WinOf(color.Other()))
			if view.Color = color; g.won {
				view.Result = rules.WinOf(color)
			}
			r.Add(view)
		}
	}
	c := r.Compare()
	if c.Games != 800 || c.Opponents != 800 || len(c.Contenders) != 2 || len(c.Differences) != 1 ||
		len(c.Speeds) != 1 || !r.HasContenders() {
		t.Fatalf("compared as %+v", c)
	}
	near := func(what string, got, want, tolerance float64) {
		t.Helper()
		if math.Abs(got-want) > tolerance {
			t.Errorf("%s is %.1f, want %.0f ± %.0f", what, got, want, tolerance)
		}
	}
	good, none, d := c.Contenders[0], c.Contenders[1], c.Differences[0]
	if good.Name != "good" || good.Games != 400 || none.Name != noContender || d.Stronger != "good" ||
		d.Weaker != noContender {
		t.Errorf("contenders %+v, difference %+v", c.Contenders, d)
	}
	near("the better one's strength", good.Elo, 2191, 12)
	near("the other one's strength", none.Elo, 2000, 2)
	near("the difference", d.Elo, 191, 12)
	near("its error", d.Error, 53, 6) // 1.96 * sqrt(1/(400*3/16) + 1/(400/4)) * 400/ln(10), for independent games
	near("the worth of White", c.White.Elo, 0, 2)
	if d.Superiority < 99.9 || d.MoreGames != 0 {
		t.Errorf("difference %+v, want one that is certain", d)
	}
}

// However few games there are, all estimates are finite, and the less is known the
// wider is the interval.
func TestRatedGames_FewGames(t *testing.T) {
	var r RatedGames
	width := math.Inf(1)
	for range 10 {
		r.Add(ratedGame("a", "x", rules.WhiteWins))
		r.Add(ratedGame("b", "x", rules.BlackWins))
		d := r.Compare().Differences[0]
		if d.Stronger != "a" || !(d.Elo > 0 && d.Elo < 2000 && d.Error > 0 && d.Error < 2000) {
			t.Fatalf("difference %+v", d)
		}
		if relative := d.Error / d.Elo; relative >= width {
			t.Errorf("the error is %.2f of the difference, before it was %.2f", relative, width)
		} else {
			width = relative
		}
	}
	var one RatedGames
	one.Add(ratedGame("a", "x", rules.Draw))
	if c := one.Compare(); len(c.Contenders) != 1 || math.Abs(c.Contenders[0].Elo-2000) > 5 ||
		len(c.Differences) > 0 || c.Contenders[0].Error < 200 {
		t.Errorf("of one draw: %+v", c)
	}
}

// The same games in any order, with colours and speeds in any order, give the same.
func TestRatedGames_Order(t *testing.T) {
	l := league{difference: 30, share: 0.5, games: 200, opponents: 20, deviation: 90}
	games := l.play(1)
	want := games.Compare()
	var speeds []string
	for _, s := range want.Speeds {
		speeds = append(speeds, s.Speed)
	}
	if !slices.Equal(speeds, []string{"bullet", "blitz", "rapid"}) {
		t.Errorf("speeds %v", speeds)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(games.games),
		func(i, j int) { games.games[i], games.games[j] = games.games[j], games.games[i] })
	if diff := cmp.Diff(want, games.Compare(),
		cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 0.2 })); diff != "" {
		t.Error(diff)
	}
}

// With many games the fit finds all that was put in.
func TestRatedGames_ManyGames(t *testing.T) {
	l := league{difference: 60, share: 0.3, games: 20000, opponents: 400, deviation: 120, draws: 0.02, pools: 300}
	c := l.play(1).Compare()
	within := func(what string, e Estimate, truth float64) {
		t.Helper()
		if math.Abs(e.Elo-truth) > 1.5*e.Error || e.Error > 20 {
			t.Errorf("%s is %+.1f ± %.1f, want %+.0f", what, e.Elo, e.Error, truth)
		}
	}
	within("the difference", c.Differences[0].Estimate, l.difference)
	within("White", c.White, trueWhite)
	// Of a difference of ratings, 200²/(200²+120²) is one of strengths.
	within("a bot against a person of the same rating", Estimate{c.Bots.Elo, min(c.Bots.Error, 20)}, -300*0.735)
	within("bullet against blitz", Estimate{c.Speeds[0].Elo - c.Speeds[1].Elo, c.Speeds[0].Error +
		c.Speeds[1].Error}, 70)
	within("rapid against blitz", Estimate{c.Speeds[2].Elo - c.Speeds[1].Elo, c.Speeds[2].Error +
		c.Speeds[1].Error}, -60)
	if math.Abs(c.OpponentDeviation-120) > 20 {
		t.Errorf("opponents differ by %.0f from their ratings, want 120", c.OpponentDeviation)
	}
}

func TestMoreGames(t *testing.T) {
	for _, tt := range []struct {
		games            int
		value, deviation float64
		want             int
	}{
		{100, 20, 20, 285}, // 1.96² times as many as now
		{100, -20, 20, 285},
		{100, 40, 20, 0},
		{100, 0, 20, MaxMoreGames},
		{100, 0.1, 20, MaxMoreGames},
	} {
		if got := moreGames(tt.games, tt.value, tt.deviation); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
	}
}

// At the maximum no single effect can be moved up, and the slopes are those of the value.
func TestSolver(t *testing.T) {
	l := league{difference: 30, share: 0.5, games: 300, opponents: 15, deviation: 90, draws: 0.1}
	s := newSolver(newModel(l.play(3)))
	s.count(300)
	s.deviation = 80 * eloUnit
	check := func(want string) {
		t.Helper()
		at := slices.Clone(s.effects)
		density := func(i int, change float64) *expansion {
			moved := slices.Clone(at)
			moved[i] += change
			s.moveTo(moved)
			return s.posterior()
		}
		const h = 1e-4
		for i := range at {
			here, up, down := density(i, 0), density(i, h).value, density(i, -h).value
			if numeric := (up - down) / (2 * h); math.Abs(numeric-here.slope[i]) > 1e-4 {
				t.Errorf("%s: slope %d is %g, by differences %g", want, i, here.slope[i], numeric)
			}
			if want == "maximum" && (up > here.value || down > here.value) {
				t.Errorf("effect %d: %g and %g beside %g", i, up, down, here.value)
			}
		}
		s.moveTo(at)
	}
	check("start")
	s.moveTo(s.maximize(1e-9).effects)
	check("maximum")
}
