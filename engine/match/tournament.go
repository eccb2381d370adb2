package match

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
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

// RoundRobin returns the pairings of all engines with each other, numbered from 0.
func RoundRobin(engines int) (pairings []Pairing) {
	for i := range engines {
		for j := i + 1; j < engines; j++ {
			pairings = append(pairings, Pairing{Engine: i, Opponent: j})
		}
	}
	return pairings
}

// Gauntlet returns the pairings of engine 0 with each of the others; there must be at least one
// engine.
func Gauntlet(engines int) []Pairing { return RoundRobin(engines)[:engines-1] }

// Standing is an engine's result in a tournament.
type Standing struct {
	Engine int     `json:"engine"` // its number
	Name   string  `json:"name"`
	Limit  string  `json:"limit"`
	Elo    *Elo    `json:"elo"` // against all its opponents as one
	Points float64 `json:"points"`
	Games  int     `json:"games"`
	Faults int     `json:"faults"` // games lost by a fault

	pairs Pentanomial
}

// Standings returns the engines, the one with the highest score first.
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
		reversed := s.Pentanomial
		slices.Reverse(reversed[:])
		standings[p.Engine].add(&s.Engine, s.Games, s.Points(), s.Pentanomial)
		standings[p.Opponent].add(&s.Opponent, s.Games, float64(s.Games)-s.Points(), reversed)
	}
	slices.SortStableFunc(standings, func(a, b Standing) int { return cmp.Compare(b.score(), a.score()) })
	return standings
}

// add adds the engine's side of a match.
func (s *Standing) add(side *SideSummary, games int, points float64, pairs Pentanomial) {
	s.Limit = side.Limit
	s.Points += points
	s.Games += games
	s.Faults += side.Failures()
	for i, count := range pairs {
		s.pairs[i] += count
	}
	s.Elo = s.pairs.Elo()
}

// score returns the share of the points, from 0 to 1.
func (s *Standing) score() float64 { return s.Points / float64(max(s.Games, 1)) }

// Table returns the standings, with the points of each engine against each other one.
func (t Tournament) Table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	standings := t.Standings()
	fmt.Fprint(w, "\tengine\tlimit\tElo\tscore\tgames\tfaults")
	for i := range standings {
		fmt.Fprintf(w, "\t%d", i+1)
	}
	fmt.Fprintln(w)
	for i, s := range standings {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%.1f %%\t%d\t%d",
			i+1, s.Name, s.Limit, s.Elo, 100*s.score(), s.Games, s.Faults)
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
