package stats

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Comparison compares contenders by one fit over their rated games. Strengths are on the
// scale of the opponents' ratings, at the mean of the games' colours, speeds, pools and times.
type Comparison struct {
	Games       int            `json:"games"`
	LeftOut     map[string]int `json:"left_out,omitempty"` // rated games that say nothing of strength, by reason
	Opponents   int            `json:"opponents"`          // those with a provisional rating, and those without
	Contenders  []Contender    `json:"contenders"`         // the strongest first
	Differences []Difference   `json:"differences"`        // of each pair of contenders for the same games
	// White is how much stronger a player is with White than its average over both colours.
	White  Estimate      `json:"white"`
	Speeds []SpeedEffect `json:"speeds"` // from fast to slow
	// Bots is how much stronger a bot is than a person of the same rating; nil unless both
	// were met.
	Bots *Estimate `json:"bots,omitempty"`
	// Drift is how much better the player was in the last week than in the first; nil if
	// they are the same.
	Drift *Estimate `json:"drift,omitempty"`
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
	Name  string `json:"name"`          // may be noContender
	For   string `json:"for,omitempty"` // the games that it is for; "" for all
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
	case len(r.leftOut) > 0:
		return &Comparison{
			LeftOut: maps.Clone(r.leftOut), Contenders: []Contender{}, Differences: []Difference{}, Speeds: []SpeedEffect{},
		}
	default:
		return nil
	}
	m := newModel(r)
	f := newSolver(m).fit(len(m.games), exact)
	means := m.means()
	c := &Comparison{
		Games: len(r.games), LeftOut: maps.Clone(r.leftOut), Opponents: len(r.opponents),
		Contenders: []Contender{}, Differences: []Difference{}, Speeds: []SpeedEffect{},
		OpponentDeviation: tenths(f.deviation),
		White:             f.estimate(m.weights(m.white())), RatingSlope: hundredths(1 + f.effects[m.slope()]),
	}
	if bots := m.played(0.5 - means[m.pool()]); bots > 0 && bots < c.Games {
		c.Bots = new(f.estimate(m.weights(m.pool())))
	}
	if last := m.periods() - 1; last > 0 {
		c.Drift = new(f.estimate(m.weights(m.period(last), m.period(0))))
	}
	r.addContenders(c, m, f, means)
	for name, s := range r.speeds {
		weights := m.weights(m.speed(s))
		for i := range m.speeds {
			weights[m.speed(i)] -= means[m.speed(i)]
		}
		c.Speeds = append(c.Speeds, SpeedEffect{name, m.played(means[m.speed(s)]), f.estimate(weights)})
	}
	slices.SortFunc(c.Speeds, func(a, b SpeedEffect) int { return cmp.Compare(speedRank(a.Speed), speedRank(b.Speed)) })
	return c
}

// addContenders adds contenders, at the mean of all other effects, and their differences,
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
		list = append(list, entry{Contender{name, r.purposes[i], m.played(means[i]),
			newEstimate(m.center+value, deviation)}, i, value})
	}
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.strength, a.strength), cmp.Compare(a.Name, b.Name))
	})
	for i, a := range list {
		c.Contenders = append(c.Contenders, a.Contender)
		for _, b := range list[i+1:] {
			if a.For != b.For {
				continue
			}
			value, deviation := f.contrast(m.weights(a.index, b.index))
			c.Differences = append(c.Differences, Difference{
				a.Name, b.Name, newEstimate(value, deviation), tenths(100 * distuv.UnitNormal.CDF(value/deviation)),
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

// tenths rounds to one decimal, hundredths to two.
func tenths(x float64) float64     { return math.Round(10*x) / 10 }
func hundredths(x float64) float64 { return math.Round(100*x) / 100 }
