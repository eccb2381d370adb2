package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// league is a simulated season of rated games, in which the truth is known.
type league struct {
	name       string
	difference float64 // by which contender "a" is stronger than "b"
	share      float64 // of the games that "a" plays
	games      int
	opponents  int
	deviation  float64 // standard deviation of opponents' ratings from their strengths
	draws      float64 // share of drawn games among equals
}

// What all leagues have in common.
const (
	trueWhite = 35.0
	meanLevel = 2050.0
)

// The speeds, how often they are played, and how much better than on average we are.
var trueSpeeds = []struct {
	speed  lichess.Speed
	share  float64
	effect float64
}{{lichess.Bullet, 0.3, 70}, {lichess.Blitz, 0.5, 0}, {lichess.Rapid, 0.2, -60}}

// rival is a simulated opponent.
type rival struct {
	name             string
	strength, rating float64
	speed            int // the one that this opponent prefers
}

// play plays a season. Some opponents are met much more often than others.
func (l *league) play(seed uint64) *RatedGames {
	rng := rand.New(rand.NewPCG(20261122, seed))
	rivals := make([]rival, l.opponents)
	for i := range rivals {
		strength := 2000 + 200*rng.NormFloat64()
		rivals[i] = rival{fmt.Sprint("rival", i), strength, strength + l.deviation*rng.NormFloat64(), drawSpeed(rng)}
	}
	games := new(RatedGames)
	for range l.games {
		games.Add(l.playGame(rng, &rivals[int(float64(l.opponents)*square(rng.Float64()))]))
	}
	return games
}

func drawSpeed(rng *rand.Rand) int {
	x := rng.Float64()
	for i, s := range trueSpeeds {
		if x -= s.share; x < 0 {
			return i
		}
	}
	return 0
}

// playGame plays a game: its expected score is Elo's, of the true strengths. The rating
// that is shown moves from game to game.
func (l *league) playGame(rng *rand.Rand, r *rival) *record.PlayerView {
	view := &record.PlayerView{
		Summary: &record.Summary{Rated: true, Contender: "b"}, Color: rules.White,
		Opponent: record.Player{Name: r.name, Rating: int(r.rating + 15*rng.NormFloat64())},
	}
	speed := r.speed
	if rng.IntN(2) == 0 {
		speed = drawSpeed(rng)
	}
	view.Speed = trueSpeeds[speed].speed
	lead := meanLevel - r.strength + trueSpeeds[speed].effect
	if rng.Float64() < l.share {
		view.Contender = "a"
		lead += l.difference
	}
	if rng.IntN(2) == 0 {
		lead += trueWhite
	} else {
		view.Color = rules.Black
		lead -= trueWhite
	}
	expected := 1 / (1 + math.Pow(10, -lead/400))
	draws := 4 * l.draws * expected * (1 - expected)
	switch x := rng.Float64(); {
	case x < expected-draws/2:
		view.Result = rules.WinOf(view.Color)
	case x < expected+draws/2:
		view.Result = rules.Draw
	default:
		view.Result = rules.WinOf(view.Color.Other())
	}
	return view
}

// Seasons with a known difference: the 95 % interval contains it in 95 % of them, and
// the estimate is right on average. Of 500 trials, each a success with a chance of 95 %,
// 475 ± 10 succeed (two standard errors).
func TestCompare_Simulation(t *testing.T) {
	const seasons, least, most = 500, 465, 485
	for _, l := range []league{
		{name: "a small difference", difference: 25, share: 0.5, games: 400, opponents: 60, deviation: 90, draws: 0.02},
		{name: "a large difference, bad ratings", difference: 100, share: 0.5, games: 400, opponents: 40, deviation: 150, draws: 0.02},
		{name: "few opponents, met often, unequal shares", difference: -40, share: 0.25, games: 300, opponents: 8, deviation: 90, draws: 0.02},
	} {
		if testing.Short() && l.name != "a small difference" {
			continue // one is enough for the race detector
		}
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			covered, sum, squares := 0, 0.0, 0.0
			for seed := range uint64(seasons) {
				d := l.play(seed).Compare().Differences[0]
				if d.Stronger == "b" {
					d.Elo = -d.Elo
				}
				miss := d.Elo - l.difference
				sum, squares = sum+miss, squares+miss*miss
				if math.Abs(miss) <= d.Error {
					covered++
				}
			}
			mean := sum / seasons
			deviation := math.Sqrt(squares/seasons - mean*mean)
			limit := 2 * deviation / math.Sqrt(seasons)
			t.Logf("%d of %d intervals contain the difference; mean error %+.2f, within ±%.2f; standard deviation %.1f", covered, seasons, mean, limit, deviation)
			if covered < least || covered > most {
				t.Errorf("%d of %d intervals contain the difference, want %d to %d", covered, seasons, least, most)
			}
			if math.Abs(mean) > limit {
				t.Errorf("mean error %+.2f, want one within ±%.2f", mean, limit)
			}
		})
	}
}
