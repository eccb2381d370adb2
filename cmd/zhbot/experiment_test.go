package main

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/engine/match"
	"github.com/zhbot/zhbot/internal/file/filetest"
)

// checkExperiments returns the rows of a log of experiments without their header. The test
// fails if a row does not have all columns, or is older than the one before it.
func checkExperiments(t *testing.T, text string) []string {
	t.Helper()
	rows, ok := strings.CutPrefix(text, experimentColumns)
	if !ok || !strings.HasSuffix(rows, "\n") {
		t.Fatalf("the log does not begin with its header or end with a newline: %.100q", text)
	}
	lines, last := strings.Split(strings.TrimSuffix(rows, "\n"), "\n"), ""
	for i, line := range lines {
		fields := strings.Split(line, "\t")
		_, err := time.Parse(time.DateOnly, fields[0])
		if len(fields) != strings.Count(experimentColumns, "\t")+1 || err != nil || fields[0] < last {
			t.Errorf("row %d has %d fields or a wrong date: %s", i+1, len(fields), line)
		}
		last = fields[0]
	}
	return lines
}

func TestExperiments(t *testing.T) {
	t.Parallel()
	checkExperiments(t, repoFile(t, "engine/experiments.tsv"))
}

// A match is a row of the log, and so is each match of several factors of time.
func TestMatch_log(t *testing.T) {
	log := filepath.Join(t.TempDir(), "experiments.tsv")
	common := []string{"match", "--opponent", "self", "--nodes", "100", "--games", "2", "--max-plies", "40", "--log", log}
	test := []string{"--opponent-nodes", "50", "--sprt", "0,8", "--seed", "7", "--resign", "score=1200,movecount=2",
		"--change", "one\tidea", "--resume", log + ".state"}
	for _, args := range [][]string{test, test, {"--time-factor", "1,2"}} { // the second finds the match complete
		if _, _, err := execute(t.Context(), slices.Concat(common, args)...); err != nil {
			t.Fatal(err)
		}
	}
	rows := checkExperiments(t, filetest.Read(t, log))
	if len(rows) != 3 {
		t.Fatalf("%d rows, want 3: %q", len(rows), rows)
	}
	for i, want := range []string{
		`^[-0-9]{10}\tzhbot \S[^\t]*\tone idea\tzh-[0-9a-f]{12}\t7\tSPRT \[0, 8\], 100 nodes against ` +
			`zhbot [^\t]* with zh-[0-9a-f]{12} \(50 nodes\), hash 16, threads 1, overhead 10ms, 1 at once, ` +
			`at most 40 plies, resign score=1200,movecount=2\t2\t\+\d =\d -\d[^\t]*\t[^\t]*\tnone$`,
		`\t\tzh-[0-9a-f]{12}\t1\t100 nodes against [^\t]* \(100 nodes\), [^\t]*\t2\t\+\d =\d -\d\t[^\t]*\t$`,
		`\(200 nodes\)`,
	} {
		if !regexp.MustCompile(want).MatchString(rows[i]) {
			t.Errorf("row %q, want %s", rows[i], want)
		}
	}
}

// The verdict is that of the SPRT, or that there was none.
func TestAppendExperiment_verdict(t *testing.T) {
	t.Parallel()
	llr := -2.95
	sprt := func(v match.Verdict) *match.SPRTSummary { return &match.SPRTSummary{LLR: &llr, Verdict: v} }
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
