package match

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat/distuv"
)

// Pairing is the match of two engines of a tournament, given by their numbers.
type Pairing struct {
	Engine   int     `json:"engine"`
	Opponent int     `json:"opponent"`
	Summary  Summary `json:"summary"`
}

// Tournament is the engines of a tournament and the matches between them, played or not.
type Tournament struct {
	Names    []string
	Pairings []Pairing
}

// RoundRobin returns the pairings of all engines with each other, and Gauntlet those of the
// first with each other one.
func RoundRobin(engines int) (pairings []Pairing) {
	for i := range engines {
		for j := i + 1; j < engines; j++ {
			pairings = append(pairings, Pairing{Engine: i, Opponent: j})
		}
	}
	return pairings
}

// Gauntlet is described at [RoundRobin].
func Gauntlet(engines int) []Pairing { return RoundRobin(engines)[:engines-1] }

// Standing is an engine's result in a tournament.
type Standing struct {
	Engine int      `json:"engine"` // its number
	Name   string   `json:"name"`
	Limit  string   `json:"limit"`
	Elo    *Elo     `json:"elo"` // above the mean of all engines that have one
	LOS    *float64 `json:"los"` // likelihood of being stronger than the next
	Points float64  `json:"points"`
	Games  int      `json:"games"`
	Faults int      `json:"faults"` // games lost by a fault
}

// Standings returns the engines, the strongest first. Their Elo comes from a single fit to
// the pairs of all matches, the model of Bradley and Terry. An engine that won all points
// of complete pairs against the others with an Elo, or none, has none itself.
func (t Tournament) Standings() []Standing {
	standings := make([]Standing, len(t.Names))
	for i, name := range t.Names {
		standings[i] = Standing{Engine: i, Name: name}
	}
	for _, p := range t.Pairings {
		s := &p.Summary
		if s.Games == 0 {
			continue
		}
		standings[p.Engine].add(s.Points(), s, &s.Engine)
		standings[p.Opponent].add(float64(s.Games)-s.Points(), s, &s.Opponent)
	}
	r, ok := t.rate()
	if ok {
		for _, engine := range r.rated {
			standings[engine].Elo = r.elo(r.aboveMean(engine))
		}
	}
	slices.SortStableFunc(standings, func(a, b Standing) int {
		return cmp.Or(cmp.Compare(b.strength(), a.strength()), cmp.Compare(b.score(), a.score()))
	})
	for i := range standings[:len(standings)-1] {
		if a, b := &standings[i], &standings[i+1]; a.Elo != nil && b.Elo != nil {
			if d := r.elo(r.difference(a.Engine, b.Engine)); d != nil {
				a.LOS = &d.LOS
			}
		}
	}
	return standings
}

func (s *Standing) add(points float64, match *Summary, side *SideSummary) {
	s.Limit = side.Limit
	s.Points += points
	s.Games += match.Games
	s.Faults += side.Failures()
}

// score returns the share of the points, from 0 to 1.
func (s *Standing) score() float64 { return s.Points / float64(max(s.Games, 1)) }

// strength orders the engines with an Elo between those that won all pairs and none.
func (s *Standing) strength() float64 {
	switch {
	case s.Elo != nil:
		return s.Elo.Difference
	case s.score() > 0.5:
		return 2 * eloLimit
	}
	return -2 * eloLimit
}

// ratings are the strengths of engines as log odds. The first of them has 0, the others a
// coefficient of the regression.
type ratings struct {
	regression
	rated []int // the engines
}

// rate fits the strengths of the engines that can be rated.
func (t Tournament) rate() (ratings, bool) {
	r := ratings{rated: t.ratable()}
	if len(r.rated) < 2 {
		return r, false
	}
	var observations []observation
	for _, p := range t.Pairings {
		if slices.Contains(r.rated, p.Engine) && slices.Contains(r.rated, p.Opponent) {
			observations = append(observations, observation{r.difference(p.Engine, p.Opponent), p.Summary.Pentanomial})
		}
	}
	var ok bool
	r.regression, ok = fit(observations, len(r.rated)-1)
	return r, ok
}

// ratable returns the engines that have won and lost points against others of them.
func (t Tournament) ratable() (engines []int) {
	for i := range t.Names {
		engines = append(engines, i)
	}
	for before := -1; before != len(engines); {
		before = len(engines)
		won, lost := make([]int, len(t.Names)), make([]int, len(t.Names))
		for _, p := range t.Pairings {
			if !slices.Contains(engines, p.Engine) || !slices.Contains(engines, p.Opponent) {
				continue
			}
			for points, count := range p.Summary.Pentanomial {
				won[p.Engine] += points * count
				lost[p.Engine] += (4 - points) * count
				won[p.Opponent] += (4 - points) * count
				lost[p.Opponent] += points * count
			}
		}
		engines = slices.DeleteFunc(engines, func(e int) bool { return won[e] == 0 || lost[e] == 0 })
	}
	return engines
}

// difference returns the factors of the coefficients in the difference of two engines.
func (r ratings) difference(a, b int) []float64 {
	x := make([]float64, len(r.rated)-1)
	for i, engine := range r.rated[1:] {
		switch engine {
		case a:
			x[i] = 1
		case b:
			x[i] = -1
		}
	}
	return x
}

// aboveMean returns those in the difference of an engine and the mean.
func (r ratings) aboveMean(engine int) []float64 {
	x := make([]float64, len(r.rated)-1)
	for i, other := range r.rated[1:] {
		x[i] = -1 / float64(len(r.rated))
		if other == engine {
			x[i]++
		}
	}
	return x
}

// exact is the standard error, in log odds, below which all pairs have ended alike.
const exact = 1e-6

// elo returns the Elo of a sum of coefficients times factors, nil if its error is unknown.
func (r ratings) elo(x []float64) *Elo {
	difference, deviation := r.sum(x)
	if deviation < exact {
		return nil
	}
	elo := func(logOdds float64) float64 { return min(max(logOdds*eloPerLogOdds, -eloLimit), eloLimit) }
	return &Elo{
		Difference: elo(difference), Low: elo(difference - normal95*deviation),
		High: elo(difference + normal95*deviation),
		LOS:  distuv.UnitNormal.CDF(difference / deviation),
	}
}

// Table returns the standings, with the points of each engine against each other one.
func (t Tournament) Table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	standings := t.Standings()
	fmt.Fprint(w, "\tengine\tlimit\tElo\tLOS\tscore\tgames\tfaults")
	for i := range standings {
		fmt.Fprintf(w, "\t%d", i+1)
	}
	fmt.Fprintln(w)
	for i, s := range standings {
		los := ""
		if s.LOS != nil {
			los = fmt.Sprintf("%.1f %%", 100**s.LOS)
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%.1f %%\t%d\t%d",
			i+1, s.Name, s.Limit, s.Elo, los, 100*s.score(), s.Games, s.Faults)
		for _, other := range standings {
			fmt.Fprintf(w, "\t%s", t.points(s.Engine, other.Engine))
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // a strings.Builder does not fail
	return b.String()
}

// points returns the points of an engine in its match with another one, such as 61.5/100.
func (t Tournament) points(engine, other int) string {
	for _, p := range t.Pairings {
		points, games := p.Summary.Points(), p.Summary.Games
		switch {
		case games == 0:
		case p.Engine == engine && p.Opponent == other:
			return fmt.Sprintf("%g/%d", points, games)
		case p.Engine == other && p.Opponent == engine:
			return fmt.Sprintf("%g/%d", float64(games)-points, games)
		}
	}
	return ""
}
