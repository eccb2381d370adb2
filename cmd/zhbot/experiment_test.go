package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/engine/match"
)

// Each row of the log of experiments has all columns, and none is older than the one before
// it.
func TestExperiments(t *testing.T) {
	t.Parallel()
	text := repoFile(t, "engine/experiments.tsv")
	rows, ok := strings.CutPrefix(text, experimentColumns)
	if !ok || !strings.HasSuffix(rows, "\n") {
		t.Fatalf("the log does not begin with its header or end with a newline: %.100q", text)
	}
	last := ""
	for line := range strings.Lines(rows) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		_, err := time.Parse(time.DateOnly, fields[0])
		if len(fields) != strings.Count(experimentColumns, "\t")+1 || err != nil || fields[0] < last {
			t.Errorf("%d fields or a wrong date: %s", len(fields), line)
		}
		last = fields[0]
	}
}

// The verdict is that of the SPRT, or that there was none.
func TestAppendExperiment_verdict(t *testing.T) {
	t.Parallel()
	llr := -2.95
	sprt := func(v match.Verdict) *match.SPRTSummary { return &match.SPRTSummary{LLR: llr, Verdict: v} }
	elo := &match.Elo{Difference: -3.2, Low: -11.4, High: 5.6}
	for _, test := range []struct {
		sprt     *match.SPRTSummary
		complete bool
		want     string
	}{
		{sprt(match.AcceptedH1), true, "\t5\t+2 =1 -2; LLR -2.95\t-3 [-11, +6]\tH1\n"},
		{sprt(match.AcceptedH0), false, "\tH0\n"}, // a file could not be closed
		{sprt(match.Stopped), false, "\tstopped\n"},
		{nil, false, "\t+2 =1 -2\t-3 [-11, +6]\tstopped\n"},
		{sprt(match.Undecided), true, "\tnone\n"},
		{nil, true, "\t\n"},
	} {
		var out bytes.Buffer
		f := matchFlags{experiments: &out}
		s := match.Summary{Games: 5, Wins: 2, Draws: 1, Losses: 2, Elo: elo, SPRT: test.sprt}
		err := f.appendExperiment(match.Config{}, s, test.complete)
		if got := out.String(); err != nil || !strings.HasSuffix(got, test.want) {
			t.Errorf("row %q, %v, want one that ends with %q", got, err, test.want)
		}
	}
}
