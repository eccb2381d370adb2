package tune

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/zhbot/zhbot/engine/match"
)

// State is the state of tuning after some iterations.
type State struct {
	Parameters []Parameter
	Iterations int         // finished
	Values     []float64   // current values of the parameters
	history    [][]float64 // the values after each iteration
}

func newState(parameters []Parameter) *State {
	s := &State{Parameters: parameters}
	for _, p := range parameters {
		s.Values = append(s.Values, p.Start)
	}
	s.history = [][]float64{slices.Clone(s.Values)}
	return s
}

// add records an iteration, after its change of the values.
func (s *State) add() {
	s.Iterations++
	s.history = append(s.history, slices.Clone(s.Values))
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
		Command: c.Match.Engine.Command, Options: fmt.Sprint(c.Options), Parameters: c.Parameters, Limit: c.Match.Engine.Limit.String(),
		Iterations: c.Iterations, Rate: c.Rate, Seed: c.Seed, Openings: c.Match.OpeningsName, Adjudication: c.Match.Adjudication,
	}
}

// iteration is a line of the state file.
type iteration struct {
	Number int       `json:"iteration"`
	Points float64   `json:"points"`
	Values []float64 `json:"values"` // after it
}

// pathWidth is the number of points of a path.
const pathWidth = 40

// Table returns for each parameter its start, its current value, the difference in steps,
// and its path between its bounds.
func (s *State) Table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "parameter\tstart\tnow\tsteps\tpath\n")
	for i, p := range s.Parameters {
		fmt.Fprintf(w, "%s\t%g\t%.0f\t%+.1f\t%s\n", p.Name, p.Start, math.Round(s.Values[i]), (s.Values[i]-p.Start)/p.Step, s.path(i))
	}
	_ = w.Flush() // a strings.Builder does not fail
	return b.String()
}

// levels show a value between its bounds.
var levels = []rune("▁▂▃▄▅▆▇█")

// path draws how a value has changed between its bounds.
func (s *State) path(i int) string {
	p := s.Parameters[i]
	var b strings.Builder
	for x := range pathWidth {
		v := s.history[x*(len(s.history)-1)/(pathWidth-1)][i]
		level := int((v - p.Min) / (p.Max - p.Min) * float64(len(levels)))
		b.WriteRune(levels[min(max(level, 0), len(levels)-1)])
	}
	return b.String()
}
