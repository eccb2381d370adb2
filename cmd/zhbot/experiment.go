package main

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/zhbot/zhbot/engine/match"
)

// experimentColumns is the first line of a log of experiments, such as engine/experiments.tsv.
// Each further line is an experiment, the oldest first.
const experimentColumns = "date\tbuild\tchange\tnetwork\tseed\tconditions\tgames\tresult\tElo\tverdict\n"

// appendExperiment appends a match to the log of experiments. The match failed or was
// interrupted unless it is complete.
func (f *matchFlags) appendExperiment(c match.Config, s match.Summary, complete bool) error {
	build, network, _ := strings.Cut(s.Engine.Name, " with ")
	result, elo, verdict := fmt.Sprintf("+%d =%d -%d", s.Wins, s.Draws, s.Losses), "", ""
	if e := s.Elo; e != nil {
		elo = fmt.Sprintf("%+.0f [%+.0f, %+.0f]", e.Difference, e.Low, e.High)
	}
	if !complete {
		verdict = "stopped"
	}
	if t := s.SPRT; t != nil {
		result += fmt.Sprintf("; LLR %+.2f", t.LLR)
		reached := map[match.Verdict]string{match.AcceptedH0: "H0", match.AcceptedH1: "H1"}
		verdict = cmp.Or(reached[t.Verdict], verdict, "none")
	}
	fields := []string{
		time.Now().Format(time.DateOnly), build, f.change, network, strconv.FormatUint(f.seed, 10),
		f.conditions(c, s), strconv.Itoa(s.Games), result, elo, verdict,
	}
	for i, field := range fields {
		fields[i] = strings.Join(strings.Fields(field), " ") // has no tab and no newline
	}
	row := strings.Join(fields, "\t") + "\n"
	if info, err := os.Stat(f.logFile); err == nil && info.Size() == 0 {
		row = experimentColumns + row
	}
	if _, err := f.experiments.Write([]byte(row)); err != nil {
		return fmt.Errorf("append to the log of experiments: %w", err)
	}
	return nil
}

// conditions returns the conditions of a match, and its opponent.
func (f *matchFlags) conditions(c match.Config, s match.Summary) string {
	var b strings.Builder
	if c.SPRT != nil {
		fmt.Fprintf(&b, "SPRT %s, ", c.SPRT)
	}
	fmt.Fprintf(&b, "%s against %s (%s), hash %d, threads %d, overhead %v, %d at once",
		s.Engine.Limit, s.Opponent.Name, s.Opponent.Limit, f.hash, f.threads, f.overhead, c.Concurrency)
	if f.openings != "" {
		fmt.Fprintf(&b, ", openings %s", f.openings)
	}
	if n := c.Adjudication.MaxPlies; n > 0 {
		fmt.Fprintf(&b, ", at most %d plies", n)
	}
	return b.String() + f.rules
}
