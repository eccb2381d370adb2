package record

import "math"

// Performance is the rating at which a score would have been expected, and how
// far it may be off: in 95 of 100 cases no further.
type Performance struct {
	Rating int `json:"rating"`
	Error  int `json:"error"`
	// Bound is ">" or "<" when all games were won or lost: the rating is then at
	// least, or at most, about this.
	Bound string `json:"bound,omitempty"`
}

// opposition counts results against rated opponents, by their rating.
type opposition struct {
	games            map[int]int // by the opponent's rating
	won, drawn, lost int
}

func (o *opposition) add(rating int, score float64) {
	if rating == 0 {
		return
	}
	if o.games == nil {
		o.games = map[int]int{}
	}
	o.games[rating]++
	switch score {
	case 1:
		o.won++
	case 0:
		o.lost++
	default:
		o.drawn++
	}
}

// The normal distribution leaves 5 % beyond this many standard errors.
const twoSided95 = 1.96

// performance returns nil without a game against a rated opponent. A score of
// all or nothing, which no rating explains, is taken for half a point less or
// more.
func (o *opposition) performance() *Performance {
	n := float64(o.won + o.drawn + o.lost)
	if n == 0 {
		return nil
	}
	p := &Performance{}
	points := float64(o.won) + float64(o.drawn)/2
	switch points {
	case n:
		points, p.Bound = n-0.5, ">"
	case 0:
		points, p.Bound = 0.5, "<"
	}
	rating := o.ratingFor(points)
	p.Rating = int(math.Round(rating))
	p.Error = int(math.Round(twoSided95 * o.deviation(points/n) / o.slope(rating)))
	return p
}

// expected returns the points that a rating is worth against the opponents.
func (o *opposition) expected(rating float64) (points float64) {
	for opponent, n := range o.games {
		points += float64(n) / (1 + math.Pow(10, (float64(opponent)-rating)/400))
	}
	return points
}

// ratingFor finds the rating that is worth so many points.
func (o *opposition) ratingFor(points float64) float64 {
	low, high := -20000.0, 30000.0
	for range 60 {
		if middle := (low + high) / 2; o.expected(middle) < points {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// slope returns how many points a rating point is worth.
func (o *opposition) slope(rating float64) float64 {
	return (o.expected(rating+1) - o.expected(rating-1)) / 2
}

// deviation returns the standard error of the points in all games, given the
// mean of one. Each game counts with the spread of the results, but with no less
// than that of half a point in all games.
func (o *opposition) deviation(mean float64) float64 {
	n := float64(o.won + o.drawn + o.lost)
	spread := float64(o.won)*square(1-mean) + float64(o.drawn)*square(0.5-mean) + float64(o.lost)*square(mean)
	return math.Sqrt(max(spread, n*square(0.5/n)))
}

func square(x float64) float64 { return x * x }
