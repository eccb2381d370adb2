package match

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// Line returns the state of the match as one short line, for terminals.
func (s Summary) Line() string {
	line := fmt.Sprintf("+%d =%d -%d  Elo %s", s.Wins, s.Draws, s.Losses, s.Elo.format("%+.0f"))
	if s.SPRT != nil {
		line += "  LLR " + fmt.Sprintf("%+.2f", s.SPRT.LLR)
	}
	return line
}

// Table returns the whole summary as text.
func (s Summary) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s) against %s (%s)\n\n", s.Engine.Name, s.Engine.Limit, s.Opponent.Name, s.Opponent.Limit)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range s.results() {
		fmt.Fprintf(w, "%s\t%s\n", row[0], row[1])
	}
	_ = w.Flush() // a strings.Builder does not fail
	b.WriteByte('\n')
	fmt.Fprintln(w, "\tnodes/s\tdepth\tms/move\tclock left\tfaults")
	for _, side := range []SideSummary{s.Engine, s.Opponent} {
		fmt.Fprintf(w, "%s\t%d\t%.1f\t%.1f\t%.0f %%\t%s\n",
			side.Name, side.NPS, side.Depth, 1000*side.MoveTime, 100*side.ClockLeft, list(side.Faults))
	}
	_ = w.Flush() // a strings.Builder does not fail
	return b.String()
}

// results returns the rows about the result.
func (s Summary) results() [][2]string {
	p := s.Pentanomial
	rows := [][2]string{
		{"Games", fmt.Sprintf("%d: won %d, drawn %d, lost %d, score %.1f %%; repeated %d",
			s.Games, s.Wins, s.Draws, s.Losses, 100*s.Score(), s.RepeatedGames)},
		{"Pairs", fmt.Sprintf("%d: with 0, ½, 1, 1½, 2 points %d, %d, %d, %d, %d; both games the same in %d",
			p.Pairs(), p[0], p[1], p[2], p[3], p[4], s.IdenticalPairs)},
		{"Elo", s.Elo.String()},
		{"LOS", s.Elo.losText()},
	}
	if t := s.SPRT; t != nil {
		rows = append(rows, [2]string{"SPRT", fmt.Sprintf("%s, LLR %+.2f of ±%.2f: %s",
			t.SPRT, t.LLR, t.Bound, t.Verdict)})
	}
	return append(rows, [2]string{"Endings", list(s.Endings)})
}

// list lists how often games ended in each way, the most frequent first.
func list(counts map[Ending]int) string {
	var parts []string
	for _, e := range slices.SortedFunc(maps.Keys(counts), func(a, b Ending) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(string(a), string(b)))
	}) {
		parts = append(parts, fmt.Sprintf("%s %d", e, counts[e]))
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

// undefined stands for an undefined figure.
const undefined = "undefined"

// String returns the difference with its 95 % confidence interval.
func (e *Elo) String() string { return e.format("%+.1f") }

func (e *Elo) format(number string) string {
	if e == nil {
		return undefined
	}
	return fmt.Sprintf(strings.ReplaceAll("N [N, N]", "N", number), e.Difference, e.Low, e.High)
}

func (e *Elo) losText() string {
	if e == nil {
		return undefined
	}
	return fmt.Sprintf("%.1f %%", 100*e.LOS)
}
