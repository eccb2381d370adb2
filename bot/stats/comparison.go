package stats

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// NoContender stands for games without a contender. They count as games of one more
// contender.
const NoContender = "(none)"

// maxFallbacks is how many fallback moves a game may have and still count for its
// contender: some tenth of the moves of a usual game. Time trouble and a crash cost a
// program as many, and that is its own weakness.
const maxFallbacks = 3

// RatedGames collects a player's rated games, to compare the contenders that played
// them. The zero value is empty and ready to use.
type RatedGames struct {
	contenders, opponents, speeds nameIndex
	games                         []observation
	named                         bool // one of the games has a contender, or one that was left out
	leftOut                       int
}

// Add adds a game. It is ignored if it was casual, has no result, or if the opponent's
// rating is unknown, and left out if our own search played much of it in place of a
// program.
func (r *RatedGames) Add(g *record.PlayerView) {
	if !g.Rated || g.Result == rules.NoResult || g.Opponent.Rating == 0 {
		return
	}
	r.named = r.named || g.Contender != ""
	if g.Fallbacks > maxFallbacks {
		r.leftOut++
		return
	}
	o := observation{
		contender: r.contenders.of(cmp.Or(g.Contender, NoContender)),
		opponent:  r.opponents.of(strings.ToLower(g.Opponent.Name)),
		speed:     r.speeds.of(string(g.Speed)),
		color:     1,
		rating:    float64(g.Opponent.Rating),
	}
	if g.Color == rules.Black {
		o.color = -1
	}
	switch g.Result {
	case rules.WinOf(g.Color):
		o.score = 1
	case rules.Draw:
		o.score = 0.5
	}
	r.games = append(r.games, o)
}

// HasContenders reports whether one of the games has a contender.
func (r *RatedGames) HasContenders() bool { return r.named }

// nameIndex numbers names in the order in which they first occur.
type nameIndex map[string]int

func (n *nameIndex) of(name string) int {
	i, known := (*n)[name]
	if !known {
		if *n == nil {
			*n = nameIndex{}
		}
		i = len(*n)
		(*n)[strings.Clone(name)] = i // it may be a part of the whole game's text
	}
	return i
}

// Comparison compares contenders by one fit over their rated games. Strengths are on the
// scale of the opponents' ratings, at the mean of the games' colours and speeds.
type Comparison struct {
	Games       int          `json:"games"`
	LeftOut     int          `json:"left_out,omitempty"` // games with too many fallback moves to count
	Opponents   int          `json:"opponents"`
	Contenders  []Contender  `json:"contenders"`  // the strongest first
	Differences []Difference `json:"differences"` // of each pair
	// White is how much stronger a player is with White than its average over both colours.
	White  Estimate      `json:"white"`
	Speeds []SpeedEffect `json:"speeds"` // from fast to slow
	// RatingSlope is how much stronger an opponent is per point of rating.
	RatingSlope float64 `json:"rating_slope"`
	// OpponentDeviation estimates the standard deviation of opponents' strengths from
	// what their ratings predict.
	OpponentDeviation float64 `json:"opponent_deviation"`
}

// Estimate is an estimate in Elo, with a 95 % confidence interval of ±Error.
type Estimate struct {
	Elo   float64 `json:"elo"`
	Error float64 `json:"error"`
}

// Contender is the fit's estimate for a contender.
type Contender struct {
	Name  string `json:"name"` // may be [NoContender]
	Games int    `json:"games"`
	Estimate
}

// Difference is how much stronger one contender is than another.
type Difference struct {
	Stronger string `json:"stronger"` // by the estimate, which may be wrong
	Weaker   string `json:"weaker"`
	Estimate
	// Superiority is the likelihood in percent that the difference is above 0.
	Superiority float64 `json:"superiority"`
	// MoreGames is how many more games the two need until the interval excludes 0, if the
	// estimate is exact and games continue as before; 0 if it does already, and at most
	// [MaxMoreGames].
	MoreGames int `json:"more_games"`
}

// MaxMoreGames bounds [Difference.MoreGames].
const MaxMoreGames = 100_000

// SpeedEffect is how much better than on average the player did at a speed.
type SpeedEffect struct {
	Speed string `json:"speed"` // "" if unknown
	Games int    `json:"games"`
	Estimate
}

// Compare fits the contenders' strengths, nil without games. If all games were left out,
// only their number is set.
func (r *RatedGames) Compare() *Comparison {
	switch {
	case len(r.games) > 0:
	case r.leftOut > 0:
		return &Comparison{LeftOut: r.leftOut}
	default:
		return nil
	}
	m := &model{games: r.games, contenders: len(r.contenders), speeds: len(r.speeds), opponents: len(r.opponents)}
	f, means := m.fit(), m.means()
	c := &Comparison{
		Games: len(r.games), LeftOut: r.leftOut, Opponents: m.opponents, OpponentDeviation: tenths(f.deviation),
		White: f.estimate(m.unit(m.white())), RatingSlope: hundredths(1 + f.effects[m.slope()]),
	}
	r.addContenders(c, m, f, means)
	for name, s := range r.speeds {
		weights := m.unit(m.speed(s))
		for i := range m.speeds {
			weights[m.speed(i)] -= means[m.speed(i)]
		}
		c.Speeds = append(c.Speeds, SpeedEffect{name, m.played(means[m.speed(s)]), f.estimate(weights)})
	}
	rank := func(s SpeedEffect) int { return slices.Index(lichess.Speeds(), lichess.Speed(s.Speed)) }
	slices.SortFunc(c.Speeds, func(a, b SpeedEffect) int { return cmp.Compare(rank(a), rank(b)) })
	return c
}

// addContenders adds contenders, at the mean of colours and speeds, and their differences,
// the strongest first.
func (r *RatedGames) addContenders(c *Comparison, m *model, f *fit, means []float64) {
	type entry struct {
		Contender
		index    int
		strength float64 // not rounded
	}
	var list []entry
	for name, i := range r.contenders {
		weights := slices.Clone(means)
		clear(weights[:m.contenders])
		weights[i] = 1
		value, deviation := f.contrast(weights)
		list = append(list, entry{Contender{name, m.played(means[i]), newEstimate(m.center+value, deviation)}, i, value})
	}
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.strength, a.strength), cmp.Compare(a.Name, b.Name))
	})
	for i, a := range list {
		c.Contenders = append(c.Contenders, a.Contender)
		for _, b := range list[i+1:] {
			weights := m.unit(a.index)
			weights[b.index] = -1
			value, deviation := f.contrast(weights)
			c.Differences = append(c.Differences, Difference{
				a.Name, b.Name, newEstimate(value, deviation), tenths(100 * normalCDF(value/deviation)),
				moreGames(a.Games+b.Games, value, deviation),
			})
		}
	}
}

// moreGames returns how many games are missing until the interval excludes 0: its width
// shrinks with the square root of their number.
func moreGames(games int, value, deviation float64) int {
	total := float64(games) * square(twoSided95*deviation/value)
	return int(math.Ceil(min(max(total-float64(games), 0), MaxMoreGames)))
}

func newEstimate(value, deviation float64) Estimate {
	return Estimate{tenths(value), tenths(twoSided95 * deviation)}
}

// normalCDF is the probability that a standard normal variable is below x.
func normalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// tenths rounds to one decimal, hundredths to two.
func tenths(x float64) float64     { return math.Round(10*x) / 10 }
func hundredths(x float64) float64 { return math.Round(100*x) / 100 }
