package match

import (
	"fmt"
	"strings"
	"testing"
)

// The results are pairs by their points, after the factor.
func TestFitParity(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"16 1 2 3 4 5, 64 5 4 3 2 1":                            "32 [15.4, 66.3], 120 Elo for twice the time",
		"16 1 2 3 4 5, 32 3 3 3 3 3, 64 5 4 3 2 1, 8 0 0 0 0 9": "32 [17.6, 58.1], 120 Elo for twice the time",
		"64 0 0 11 0 9, 128 1 0 12 0 7":                         "436 [136, no limit], 61 Elo for twice the time",
		"64 7 0 12 0 1, 128 9 0 11 0 0":                         "18.8 [0, 60.1], 61 Elo for twice the time",
		"":                                                      undefined,
		"8 2 3 5 3 2":                                           undefined, // one factor
		"8 2 3 5 3 2, 8 0 1 2 6 6":                              undefined, // the same
		"8 0 0 0 0 10, 16 0 0 0 0 10":                           undefined, // all won
		"8 0 0 0 0 10, 16 10 0 0 0 0":                           undefined, // a step
		"8 2 3 5 3 2, 16 0 1 2 6 6":                             undefined, // rising
		"8 0 0 0 0 0, 16 0 0 0 0 0":                             undefined, // without games
	} {
		var results []FactorResult
		for _, row := range strings.Split(text, ",") {
			var r FactorResult
			p := &r.Summary.Pentanomial
			_, _ = fmt.Sscan(row, &r.Factor, &p[0], &p[1], &p[2], &p[3], &p[4])
			results = append(results, r)
		}
		if got := FitParity(results).String(); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
