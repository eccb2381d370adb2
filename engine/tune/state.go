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
}

func newState(parameters []Parameter) *State {
	s := &State{Parameters: parameters}
	for _, p := range parameters {
		s.Values = append(s.Values, p.Start)
	}
	return s
}

// settings must be the same for tuning to be continued.
type settings struct {
	Command      string             `json:"command"`
	Options      string             `json:"options"`
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
		Command: c.Match.Engine.Command, Options: fmt.Sprint(c.Options), Parameters: c.Parameters,
		Limit:      c.Match.Engine.Limit.String(),
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

// Table returns for each parameter its start, its current value, and the difference in
// steps.
func (s *State) Table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "parameter\tstart\tnow\tsteps\n")
	for i, p := range s.Parameters {
		fmt.Fprintf(w, "%s\t%g\t%.0f\t%+.1f\n", p.Name, p.Start, math.Round(s.Values[i]), (s.Values[i]-p.Start)/p.Step)
	}
	_ = w.Flush() // a strings.Builder does not fail
	return b.String()
}
