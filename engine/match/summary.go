package match

import (
	"slices"
	"time"
)

// Summary is the state of a match, from the engine's point of view. Undefined figures are
// null in JSON. Games without moves are neither identical nor repeated.
type Summary struct {
	Engine         SideSummary    `json:"engine"`
	Opponent       SideSummary    `json:"opponent"`
	Games          int            `json:"games"`
	Wins           int            `json:"wins"`
	Draws          int            `json:"draws"`
	Losses         int            `json:"losses"`
	Pentanomial    Pentanomial    `json:"pentanomial"`     // complete pairs by points: 0, ½, 1, 1½, 2
	IdenticalPairs int            `json:"identical_pairs"` // whose games have the same moves
	RepeatedGames  int            `json:"repeated_games"`  // with the colours and the moves of an earlier one
	Elo            *Elo           `json:"elo"`
	SPRT           *SPRTSummary   `json:"sprt"`
	Endings        map[Ending]int `json:"endings"`

	played map[playedGame]bool
}

// playedGame is what two games have in common if they are the same game played twice.
type playedGame struct {
	white Contestant
	moves string
}

// SideSummary is the part of a summary about one engine.
type SideSummary struct {
	Name      string         `json:"name"`
	Limit     string         `json:"limit"`
	NPS       uint64         `json:"nps"`        // nodes per second, timed by the referee
	Depth     float64        `json:"depth"`      // mean
	MoveTime  float64        `json:"move_time"`  // seconds, mean
	ClockLeft float64        `json:"clock_left"` // at the end, as a share of the initial clock, mean
	Faults    map[Ending]int `json:"faults"`     // games lost by a fault

	usage Usage
	games int
	clock time.Duration // initial, 0 for none
}

// SPRTSummary is the state of an SPRT.
type SPRTSummary struct {
	SPRT
	LLR     float64 `json:"llr"`
	Bound   float64 `json:"bound"` // of the LLR: H1 is accepted here, H0 at minus this
	Verdict Verdict `json:"verdict"`
}

func newSummary(c *Config) Summary {
	s := Summary{Endings: map[Ending]int{}, played: map[playedGame]bool{}}
	for contestant, side := range c.sides() {
		*s.side(Contestant(contestant)) = SideSummary{Name: side.Name, Limit: side.Limit.String(),
			Faults: map[Ending]int{}, clock: side.Limit.Clock}
	}
	if c.SPRT != nil {
		s.SPRT = &SPRTSummary{SPRT: *c.SPRT, Bound: c.SPRT.Bound(), Verdict: Undecided}
	}
	return s
}

func (s *Summary) side(contestant Contestant) *SideSummary {
	return [2]*SideSummary{&s.Engine, &s.Opponent}[contestant]
}

// names returns the names of both sides, which differ if only their limits do.
func (s *Summary) names() [2]string {
	a, b := &s.Engine, &s.Opponent
	if a.Name == b.Name && a.Limit != b.Limit {
		return [2]string{a.Name + " (" + a.Limit + ")", b.Name + " (" + b.Limit + ")"}
	}
	return [2]string{a.Name, b.Name}
}

// add adds a game, and the pair if its other game is finished too.
func (s *Summary) add(g, other *Game) {
	s.Games++
	*[3]*int{&s.Losses, &s.Draws, &s.Wins}[g.halfPoints(Engine)]++
	s.Endings[g.Ending]++
	if key := (playedGame{g.White, g.Moves}); s.played[key] {
		s.RepeatedGames++
	} else {
		s.played[key] = g.Moves != "" // without moves, the games may be from different positions
	}
	for _, contestant := range []Contestant{Engine, Opponent} {
		s.side(contestant).add(g.Names[contestant], g.Usage[contestant])
	}
	if slices.Contains(faults, g.Ending) {
		s.side(g.loser()).Faults[g.Ending]++
	}
	if other == nil {
		return
	}
	s.Pentanomial[g.halfPoints(Engine)+other.halfPoints(Engine)]++
	if g.Moves == other.Moves && g.Moves != "" {
		s.IdenticalPairs++
	}
	s.Elo = s.Pentanomial.Elo()
	if s.SPRT != nil {
		s.SPRT.LLR, s.SPRT.Verdict = s.SPRT.SPRT.LLR(s.Pentanomial), s.SPRT.SPRT.Verdict(s.Pentanomial)
	}
}

// add adds the usage of a game. A name that was not configured is the one the engine
// reports.
func (s *SideSummary) add(name string, u Usage) {
	if s.Name == "" {
		s.Name = name
	}
	s.usage.add(u)
	s.games++
	s.MoveTime = s.usage.Time.Seconds() / float64(max(s.usage.Moves, 1))
	s.Depth = float64(s.usage.Depths) / float64(max(s.usage.DepthSamples, 1))
	if s.usage.Time > 0 {
		s.NPS = uint64(float64(s.usage.Nodes) / s.usage.Time.Seconds())
	}
	if s.clock > 0 {
		s.ClockLeft = s.usage.Left.Seconds() / (s.clock.Seconds() * float64(s.games))
	}
}

// Failures returns the number of games that the side lost through a fault.
func (s *SideSummary) Failures() (n int) {
	for _, lost := range s.Faults {
		n += lost
	}
	return n
}

// verdict returns the verdict of the SPRT, if any.
func (s *Summary) verdict() Verdict {
	if s.SPRT == nil {
		return Undecided
	}
	return s.SPRT.Verdict
}

// Points returns the engine's points.
func (s *Summary) Points() float64 { return float64(s.Wins) + float64(s.Draws)/2 }

// Score returns the engine's share of the points, from 0 to 1.
func (s *Summary) Score() float64 { return s.Points() / float64(max(s.Games, 1)) }
