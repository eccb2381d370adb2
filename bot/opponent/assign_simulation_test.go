package opponent

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/stats"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// season is a simulated one of two equal contenders, in which some opponents are met often.
type season struct {
	name      string
	opponents int
	deviation float64 // standard deviation of opponents' ratings from their strengths
	pairs     bool    // each game is followed by one with colours reversed
}

const seasonGames, seasonGamesPerDay = 400, 80

// variance plays a season in which the contenders take turns, or chance decides, and returns
// the variance of the estimated difference.
func (s *season) variance(seed uint64, turns bool) float64 {
	rng := rand.New(rand.NewPCG(20261125, seed))
	state := record.InMemoryState()
	_ = state.Update(func(d *record.State) { d.AssignmentKey = []byte("key") }) // it is not stored
	m, list := NewMemory(state, zerolog.Nop()), []config.Contender{{Name: "a", Weight: 1}, {Name: "b", Weight: 1}}
	ratings, strengths := make([]float64, s.opponents), make([]float64, s.opponents)
	for i := range ratings {
		strengths[i] = 2000 + 200*rng.NormFloat64()
		ratings[i] = strengths[i] + s.deviation*rng.NormFloat64()
	}
	var games stats.RatedGames
	who, us := 0, rules.White
	for i := range seasonGames {
		if i%2 == 0 || !s.pairs {
			who, us = int(float64(s.opponents)*math.Pow(rng.Float64(), 2)), rules.Color(rng.IntN(2))
		} else {
			us = us.Other()
		}
		at := start.Add(time.Duration(i) * day / seasonGamesPerDay)
		a := Assignment{Game: fmt.Sprint(i), Opponent: fmt.Sprint("rival", who), At: at, GameKind: config.GameKind{Rated: true, Color: lichess.Color(us.String())}}
		if a.Contender = list[rng.IntN(2)].Name; turns {
			a.Contender = m.Assign(list, a)
		}
		g := &record.Game{Summary: record.Summary{
			ID: a.Game, Created: at, Rated: true, RatingKnown: true, Contender: a.Contender, Speed: lichess.Blitz, Result: rules.WinOf(us.Other()),
			White: record.Player{Name: "zhbot", Rating: 2000}, Black: record.Player{Name: a.Opponent, Rating: int(ratings[who])},
		}, Board: rules.NewGame(rules.StartPosition())}
		if rng.Float64() < 1/(1+math.Pow(10, (strengths[who]-2000)/400)) {
			g.Result = rules.WinOf(us)
		}
		if us == rules.Black {
			g.White, g.Black = g.Black, g.White
		}
		m.Played(g, us)
		view, _ := g.View("zhbot")
		games.Add(&view)
	}
	return math.Pow(games.Compare().Differences[0].Error, 2)
}

// Turns tell two contenders apart with fewer games than chance does. ZHBOT_SEASONS is the
// number of seasons of each kind.
func TestAssign_Simulation(t *testing.T) {
	seasons, err := strconv.Atoi(cmp.Or(os.Getenv("ZHBOT_SEASONS"), "5"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []season{
		{"60 opponents", 60, 90, false},
		{"60 opponents, pairs", 60, 90, true},
		{"60 opponents, pairs, bad ratings", 60, 200, true},
		{"8 opponents, pairs", 8, 90, true},
	} {
		var saved, squares float64
		for seed := range uint64(seasons) {
			x := 1 - s.variance(seed, true)/s.variance(seed, false)
			saved, squares = saved+x, squares+x*x
		}
		mean := saved / float64(seasons)
		spread := math.Sqrt((squares/float64(seasons) - mean*mean) / float64(seasons))
		t.Logf("%s: turns save %.1f ± %.1f %% of the games", s.name, 100*mean, 196*spread)
		if mean <= 0 {
			t.Errorf("%s: turns save nothing", s.name)
		}
	}
}
