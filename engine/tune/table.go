package tune

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
)

// pathWidth is how many points of a path are shown.
const pathWidth = 40

// Table shows for each parameter where it started, where it is, how many steps lie
// between, and its path between its bounds.
func (s *State) Table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "parameter\tstart\tnow\tsteps\tpath\n")
	for i, p := range s.Parameters {
		fmt.Fprintf(w, "%s\t%g\t%.0f\t%+.1f\t%s\n", p.Name, p.Start, math.Round(s.Values[i]), (s.Values[i]-p.Start)/p.Step, s.path(i))
	}
	_ = w.Flush() // into memory
	return b.String()
}

// levels show a value between its bounds.
var levels = []rune("▁▂▃▄▅▆▇█")

// path draws how a value has moved between its bounds.
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
