package tune

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/zhbot/zhbot/engine/match"
)

// State is the state of tuning after some iterations.
type State struct {
	Parameters []Parameter
	Iterations int       // finished
	Values     []float64 // current values of the parameters

	squares float64   // sum of the squares of the points
	gains   []float64 // of each parameter, sum of the points for its higher value
}

func newState(parameters []Parameter) *State {
	s := &State{Parameters: parameters}
	for _, p := range parameters {
		s.Values = append(s.Values, p.Start)
	}
	s.gains = make([]float64, len(parameters))
	return s
}

// count counts an iteration with a result and directions.
func (s *State) count(points float64, directions []float64) {
	s.Iterations++
	s.squares += points * points
	for i, direction := range directions {
		s.gains[i] += points * direction
	}
}

// eloPerPoint is what a point in each pair of games is worth, near equality.
const eloPerPoint = 400 / math.Ln10

// gain returns the Elo by which the higher values of a parameter were better than the lower
// ones, and the half-width of its 95 % confidence interval. All parameters share all games, as
// in a factorial experiment.
func (s *State) gain(i int) (elo, err float64) {
	n := float64(s.Iterations)
	return eloPerPoint * s.gains[i] / n, eloPerPoint * 1.96 * math.Sqrt(s.squares) / n
}

// settings must be the same for tuning to be continued.
type settings struct {
	Command      string             `json:"command"`
	Parameters   []Parameter        `json:"parameters"`
	Limit        string             `json:"limit"`
	Iterations   int                `json:"iterations"`
	Rate         float64            `json:"rate"`
	Seed         uint64             `json:"seed"`
	Openings     string             `json:"openings"`
	Adjudication match.Adjudication `json:"adjudication"`
}

func (c *Config) settings() settings {
	return settings{
		Command: c.Match.Engine.Command, Parameters: c.Parameters, Limit: c.Match.Engine.Limit.String(),
		Iterations: c.Iterations, Rate: c.Rate, Seed: c.Seed, Openings: c.Match.OpeningsName,
		Adjudication: c.Match.Adjudication,
	}
}

// iteration is a line of the state file.
type iteration struct {
	Number int       `json:"iteration"`
	Points float64   `json:"points"`
	Values []float64 `json:"values"` // after it
}

// Table returns for each parameter its start, its current value, the difference in steps, and
// what its higher values gained against the lower ones.
func (s *State) Table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "parameter\tstart\tnow\tsteps\thigher against lower\n")
	for i, p := range s.Parameters {
		elo, err := s.gain(i)
		fmt.Fprintf(w, "%s\t%g\t%.0f\t%+.1f\t%+.1f ± %.1f Elo\n",
			p.Name, p.Start, math.Round(s.Values[i]), (s.Values[i]-p.Start)/p.Step, elo, err)
	}
	_ = w.Flush() // a strings.Builder does not fail
	return b.String()
}
