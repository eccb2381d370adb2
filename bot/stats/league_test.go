package stats

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// league is a simulated season of rated games, in which the truth is known.
type league struct {
	name       string
	difference float64 // by which contender "a" is stronger than "b"
	share      float64 // of the games that "a" plays, by chance; 0 if they alternate by pairs of games
	games      int
	opponents  int
	deviation  float64 // standard deviation of opponents' ratings from their strengths
	draws      float64 // share of drawn games among equals
	pools      float64 // how much weaker a bot is than a person of the same rating
	drift      float64 // standard deviation of the change of an opponent's strength in a week
	near       bool    // opponents are chosen by our rating, which moves with the results
}

// What all leagues have in common.
const (
	trueWhite   = 35.0
	meanLevel   = 2050.0
	gamesPerDay = 80
	// A part of the ratings is provisional, and off by more.
	provisionalShare, provisionalError = 0.1, 200
	botShare                           = 0.6
)

// The speeds, how often they are played, and how much better than on average we are.
var trueSpeeds = []struct {
	speed  lichess.Speed
	share  float64
	effect float64
}{{lichess.Bullet, 0.3, 70}, {lichess.Blitz, 0.5, 0}, {lichess.Rapid, 0.2, -60}}

// rival is a simulated opponent.
type rival struct {
	record.Player
	strength, rating float64
	speed            int // the one that this opponent prefers
	games            int // so far
	first            int // the contender of the first pair of two
	color            rules.Color
}

// simulation is a league while it is played.
type simulation struct {
	*league
	rng       *rand.Rand
	rivals    []rival
	ourRating float64
}

// play plays a season.
func (l *league) play(seed uint64) *RatedGames {
	games := new(RatedGames)
	s := simulation{league: l, rng: rand.New(rand.NewPCG(20261122, seed)), rivals: make([]rival, l.opponents),
		ourRating: meanLevel}
	for i := range s.rivals {
		s.rivals[i] = s.newRival(i)
	}
	for i := range l.games {
		if i%(7*gamesPerDay) == 0 && l.drift > 0 {
			for j := range s.rivals {
				s.rivals[j].strength += l.drift * s.rng.NormFloat64()
			}
		}
		r := s.drawRival()
		view := s.playGame(r)
		view.Created = time.Unix(0, 0).Add(time.Duration(i) * 24 * time.Hour / gamesPerDay)
		games.Add(view)
		s.rate(view, r)
	}
	return games
}

func (s *simulation) newRival(i int) rival {
	strength, deviation := 2000+200*s.rng.NormFloat64(), s.deviation
	r := rival{Player: record.Player{Name: fmt.Sprint("rival", i)}, strength: strength, speed: s.drawSpeed()}
	if s.rng.Float64() < provisionalShare {
		r.Provisional, deviation = true, provisionalError
	}
	r.rating = strength + deviation*s.rng.NormFloat64()
	if s.rng.Float64() < botShare {
		r.Title = "BOT"
		r.rating += s.pools
	}
	return r
}

// drawRival chooses an opponent. Some are met much more often than others.
func (s *simulation) drawRival() *rival {
	draw := func() *rival { return &s.rivals[int(float64(len(s.rivals))*square(s.rng.Float64()))] }
	if !s.near {
		return draw()
	}
	candidates := []*rival{draw(), draw(), draw(), draw()}
	return slices.MinFunc(candidates, func(a, b *rival) int {
		return cmp.Compare(math.Abs(a.rating-s.ourRating), math.Abs(b.rating-s.ourRating))
	})
}

// rate moves the ratings after a game: the more of the strength is in a rating, the less
// of its error is left.
func (s *simulation) rate(view *record.PlayerView, r *rival) {
	const speed = 10 // K in Elo's formula
	var points record.Tally
	points.Add(view.Result, view.Color)
	expected := 1 / (1 + math.Pow(10, (r.rating-s.ourRating)/400))
	s.ourRating += speed * (points.Points() - expected)
	if s.drift > 0 { // what they play against others
		r.rating += 0.1 * (r.strength - r.rating)
	}
}

func (s *simulation) drawSpeed() int {
	x := s.rng.Float64()
	for i, speed := range trueSpeeds {
		if x -= speed.share; x < 0 {
			return i
		}
	}
	return 0
}

// assign returns whether "a" plays the next game against an opponent, and our colour.
// Without a share, each two pairs of games have both contenders, in an order that is drawn,
// and a pair has both colours.
func (s *simulation) assign(r *rival) (first bool, color rules.Color) {
	game := r.games % 4
	r.games++
	if game == 0 {
		r.first = s.rng.IntN(2)
	}
	if game%2 == 0 || s.share > 0 {
		r.color = rules.Color(s.rng.IntN(2))
	} else {
		r.color = r.color.Other()
	}
	if s.share > 0 {
		return s.rng.Float64() < s.share, r.color
	}
	return game/2 == r.first, r.color
}

// playGame plays a game: its expected score is Elo's, of the true strengths. The rating
// that is shown moves from game to game.
func (s *simulation) playGame(r *rival) *record.PlayerView {
	first, color := s.assign(r)
	view := &record.PlayerView{Summary: &record.Summary{Rated: true, Contender: "b"}, Color: color, Opponent: r.Player}
	view.Opponent.Rating = int(r.rating + 15*s.rng.NormFloat64())
	speed := r.speed
	if s.rng.IntN(2) == 0 {
		speed = s.drawSpeed()
	}
	view.Speed = trueSpeeds[speed].speed
	lead := meanLevel - r.strength + trueSpeeds[speed].effect
	if first {
		view.Contender = "a"
		lead += s.difference
	}
	if color == rules.White {
		lead += trueWhite
	} else {
		lead -= trueWhite
	}
	expected := 1 / (1 + math.Pow(10, -lead/400))
	draws := 4 * s.draws * expected * (1 - expected)
	switch x := s.rng.Float64(); {
	case x < expected-draws/2:
		view.Result = rules.WinOf(view.Color)
	case x < expected+draws/2:
		view.Result = rules.Draw
	default:
		view.Result = rules.WinOf(view.Color.Other())
	}
	return view
}
