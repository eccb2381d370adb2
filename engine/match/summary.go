package match

import "time"

// Summary is what is known of a match. Everything in it is told from the view
// of the engine. Figures that are not defined are null in JSON.
type Summary struct {
	Engine         SideSummary    `json:"engine"`
	Opponent       SideSummary    `json:"opponent"`
	Games          int            `json:"games"`
	Wins           int            `json:"wins"`
	Draws          int            `json:"draws"`
	Losses         int            `json:"losses"`
	Pentanomial    Pentanomial    `json:"pentanomial"`     // complete pairs by points: 0, ½, 1, 1½, 2
	IdenticalPairs int            `json:"identical_pairs"` // whose games are the same move for move
	Elo            *Elo           `json:"elo"`
	SPRT           *SPRTSummary   `json:"sprt"`
	Endings        map[Ending]int `json:"endings"`
}

// SideSummary is what is known of one of the engines.
type SideSummary struct {
	Name         string  `json:"name"`
	Limit        string  `json:"limit"`
	NPS          uint64  `json:"nps"`        // nodes per second, by a clock at our end
	Depth        float64 `json:"depth"`      // on average
	MoveTime     float64 `json:"move_time"`  // seconds, on average
	ClockLeft    float64 `json:"clock_left"` // at the end, as a share of the clock at the start, on average
	TimeForfeits int     `json:"time_forfeits"`
	IllegalMoves int     `json:"illegal_moves"`
	Crashes      int     `json:"crashes"`
	Hangs        int     `json:"hangs"`
	FalseClaims  int     `json:"false_claims"`

	usage Usage
	games int
	clock time.Duration // at the start of a game, 0 for none
}

// SPRTSummary is how an SPRT stands.
type SPRTSummary struct {
	SPRT
	LLR     *float64 `json:"llr"`
	Bound   float64  `json:"bound"` // of the LLR: H1 is accepted here, H0 at minus this
	Verdict Verdict  `json:"verdict"`
}

func newSummary(c *Config) Summary {
	s := Summary{Endings: map[Ending]int{}}
	for seat, side := range c.sides() {
		*s.side(Contestant(seat)) = SideSummary{Name: side.Name, Limit: side.Limit.String(), clock: side.Limit.Clock}
	}
	if c.SPRT != nil {
		s.SPRT = &SPRTSummary{SPRT: *c.SPRT, Bound: c.SPRT.Bound(), Verdict: Undecided}
	}
	return s
}

func (s *Summary) side(seat Contestant) *SideSummary {
	return [2]*SideSummary{&s.Engine, &s.Opponent}[seat]
}

func (s *Summary) names() [2]string { return [2]string{s.Engine.Name, s.Opponent.Name} }

// add counts a game, and the pair if its other game is there too.
func (s *Summary) add(g, other *Game) {
	s.Games++
	*[3]*int{&s.Losses, &s.Draws, &s.Wins}[g.HalfPoints(Engine)]++
	s.Endings[g.Ending]++
	for _, seat := range []Contestant{Engine, Opponent} {
		s.side(seat).add(g.Names[seat], g.Usage[seat])
	}
	s.side(g.loser()).countFault(g.Ending)
	if other == nil {
		return
	}
	s.Pentanomial.Add(g.HalfPoints(Engine) + other.HalfPoints(Engine))
	if g.Moves == other.Moves {
		s.IdenticalPairs++
	}
	s.Elo = s.Pentanomial.Elo()
	if s.SPRT != nil {
		test := *s.SPRT // a summary that was handed out does not change
		test.LLR, test.Verdict = test.SPRT.LLR(s.Pentanomial), test.SPRT.Verdict(s.Pentanomial)
		s.SPRT = &test
	}
}

// add counts what the side spent on a game. A name that was not given is what
// the engine calls itself.
func (s *SideSummary) add(name string, u Usage) {
	if s.Name == "" {
		s.Name = name
	}
	s.usage.add(u)
	s.games++
	s.NPS, s.Depth, s.MoveTime = s.usage.NPS(), s.usage.Depth(), s.usage.MoveTime().Seconds()
	if s.clock > 0 {
		s.ClockLeft = s.usage.Left.Seconds() / (s.clock.Seconds() * float64(s.games))
	}
}

// countFault counts what the side lost a game by.
func (s *SideSummary) countFault(e Ending) {
	switch e {
	case TimeForfeit:
		s.TimeForfeits++
	case IllegalMove:
		s.IllegalMoves++
	case Crash:
		s.Crashes++
	case Hang:
		s.Hangs++
	case FalseClaim:
		s.FalseClaims++
	}
}

// Failures returns how many games the side lost by what no engine should do.
func (s *SideSummary) Failures() int {
	return s.TimeForfeits + s.IllegalMoves + s.Crashes + s.Hangs + s.FalseClaims
}

// verdict returns the verdict of the SPRT, if there is one.
func (s *Summary) verdict() Verdict {
	if s.SPRT == nil {
		return Undecided
	}
	return s.SPRT.Verdict
}

// Score returns the share of the points that the engine made, from 0 to 1.
func (s *Summary) Score() float64 {
	return (float64(s.Wins) + float64(s.Draws)/2) / float64(max(s.Games, 1))
}
