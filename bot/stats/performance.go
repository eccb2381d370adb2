package stats

import (
	"math"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/rules"
)

// Performance is a performance rating: the rating at which the score would have been
// expected, with a 95 % confidence interval of ±Error.
type Performance struct {
	Rating int `json:"rating"`
	Error  int `json:"error"`
	// Bound is ">" if all games were won and "<" if all were lost: Rating is then
	// a lower or upper bound.
	Bound string `json:"bound,omitempty"`
}

// scoreByRating counts results against rated opponents, and games by the opponent's
// rating.
type scoreByRating struct {
	record.Tally
	opponents map[int]int // games by the opponent's rating
}

func (o *scoreByRating) add(rating int, result rules.Result, us rules.Color) {
	if rating == 0 {
		return
	}
	if o.opponents == nil {
		o.opponents = map[int]int{}
	}
	o.opponents[rating]++
	o.Add(result, us)
}

// twoSided95 is the half-width of a 95 % confidence interval in standard errors.
const twoSided95 = 1.96

// PerformanceOf returns the performance against opponents of rating 0, that is how much
// stronger the player is; nil without a game.
func PerformanceOf(t record.Tally) *Performance {
	o := scoreByRating{t, map[int]int{0: t.Games()}}
	return o.performance()
}

// performance returns nil without a game against a rated opponent. A score of 0 or
// 100 %, for which no finite rating exists, is moved by half a point.
func (o *scoreByRating) performance() *Performance {
	n, points := float64(o.Games()), o.Points()
	if n == 0 {
		return nil
	}
	p := &Performance{}
	switch points {
	case n:
		points, p.Bound = n-0.5, ">"
	case 0:
		points, p.Bound = 0.5, "<"
	}
	rating := o.ratingFor(points)
	p.Rating = int(math.Round(rating))
	_, slope := o.expected(rating)
	p.Error = int(math.Round(twoSided95 * o.standardError(points/n) / slope))
	return p
}

// expected returns the expected points of a rating against the opponents, and by how much
// they rise with a point of rating.
func (o *scoreByRating) expected(rating float64) (points, slope float64) {
	for opponent, n := range o.opponents {
		p := 1 / (1 + math.Exp((float64(opponent)-rating)*eloUnit))
		points += float64(n) * p
		slope += float64(n) * p * (1 - p) * eloUnit
	}
	return points, slope
}

// ratingFor returns the rating whose expected points are as given, by bisection.
func (o *scoreByRating) ratingFor(points float64) float64 {
	low, high := -20000.0, 30000.0
	for range 60 {
		middle := (low + high) / 2
		if p, _ := o.expected(middle); p < points {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// standardError returns the standard error of the total points, given the mean score
// of a game. The variance has a lower bound of half a point over all games.
func (o *scoreByRating) standardError(mean float64) float64 {
	n := float64(o.Games())
	spread := float64(o.Won)*square(1-mean) + float64(o.Drawn)*square(0.5-mean) + float64(o.Lost)*square(mean)
	return math.Sqrt(max(spread, n*square(0.5/n)))
}

func square(x float64) float64 { return x * x }
