package match

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// countGames sets the games of a pairing from its pairs.
func countGames(p Pairing) Pairing {
	s := &p.Summary
	for points, count := range s.Pentanomial {
		s.Games += 2 * count
		s.Draws += count * points // any results with these points will do
	}
	s.Wins = max(0, s.Draws-s.Games)
	s.Draws -= 2 * s.Wins
	s.Losses = s.Games - s.Wins - s.Draws
	return p
}

// Engines that won or lost everything have no Elo, and the others have it without them.
func TestTournament_Standings_Undefined(t *testing.T) {
	t.Parallel()
	won, even, ahead := Pentanomial{4: 5}, Pentanomial{1, 2, 3, 2, 1}, Pentanomial{0, 2, 3, 2, 2}
	for name, tt := range map[string]struct {
		pairs []Pentanomial // of a round robin
		names string
		want  string // in the order of the standings, rounded
	}{
		"first and last": {[]Pentanomial{won, won, won, ahead, won, won}, "abcd",
			"[a: undefined b: 39 c: -39 d: undefined]"},
		"a chain": {[]Pentanomial{won, won, won, won, won, won}, "abcd",
			"[a: undefined b: undefined c: undefined d: undefined]"},
		"two groups": {[]Pentanomial{even, won, won, won, won, even}, "abcd",
			"[a: undefined b: undefined c: undefined d: undefined]"},
		"no games":  {[]Pentanomial{{}, {}, {}}, "abc", "[a: undefined b: undefined c: undefined]"},
		"all alike": {[]Pentanomial{{2: 9}, {2: 9}, {2: 9}}, "abc", "[a: undefined b: undefined c: undefined]"},
	} {
		tournament := Tournament{}
		for _, name := range tt.names {
			tournament.Names = append(tournament.Names, string(name))
		}
		for i, p := range RoundRobin(len(tt.names)) {
			p.Summary.Pentanomial = tt.pairs[i]
			tournament.Pairings = append(tournament.Pairings, countGames(p))
		}
		var got []string
		for _, s := range tournament.Standings() {
			elo := undefined
			if s.Elo != nil {
				elo = fmt.Sprintf("%.0f", s.Elo.Difference)
			}
			got = append(got, s.Name+": "+elo)
		}
		if text := fmt.Sprint(got); text != tt.want {
			t.Errorf("%s: %s, want %s", name, text, tt.want)
		}
	}
}

func TestTournament_Table(t *testing.T) {
	t.Parallel()
	older, newer := SideSummary{Limit: "3+0.03", Hangs: 1}, SideSummary{Limit: "100 nodes"}
	third, weak := SideSummary{Limit: "depth 4"}, SideSummary{Limit: "depth 1"}
	tournament := Tournament{[]string{"old", "new", "weak", "third"}, []Pairing{
		{0, 1, Summary{Engine: older, Opponent: newer, Pentanomial: Pentanomial{0, 3, 1}}},
		{0, 2, Summary{}},
		{0, 3, Summary{Engine: older, Opponent: third, Pentanomial: Pentanomial{1, 2, 3, 2, 1}}},
		{1, 2, Summary{Engine: newer, Opponent: weak, Pentanomial: Pentanomial{4: 1}}},
		{1, 3, Summary{Engine: newer, Opponent: third, Pentanomial: Pentanomial{0, 2, 3, 4, 1}}},
	}}
	for i, p := range tournament.Pairings {
		tournament.Pairings[i] = countGames(p)
	}
	want := `   engine  limit      Elo                    LOS     score   games  faults  1      2      3      4
1  new     100 nodes  +61.3 [+8.5, +114.1]   96.9 %  65.0 %  30     0              12/20  5.5/8  2/2
2  third   depth 4    -23.2 [-79.2, +32.8]   60.8 %  44.7 %  38     0       8/20          9/18   
3  old     3+0.03     -38.1 [-100.6, +24.4]          44.2 %  26     2       2.5/8  9/18          
4  weak    depth 1    undefined                      0.0 %   2      0       0/2                  
`
	if diff := cmp.Diff(want, tournament.Table()); diff != "" {
		t.Errorf("Table (-want +got):\n%s", diff)
	}
}

func TestGauntlet(t *testing.T) {
	t.Parallel()
	if got := Gauntlet(4); !slices.EqualFunc(got, []int{1, 2, 3},
		func(p Pairing, opponent int) bool { return p.Engine == 0 && p.Opponent == opponent }) {
		t.Errorf("pairings %+v", got)
	}
	if all := RoundRobin(5); len(all) != 10 {
		t.Errorf("%d pairings of five engines, want 10", len(all))
	}
}

// Observations that do not determine the coefficients have no fit.
func TestFit_undetermined(t *testing.T) {
	t.Parallel()
	for _, rows := range [][][]float64{nil, {{0, 0}}, {{1, 2}}, {{1, 3}, {2, 6}}, {{1, 0}, {3, 0}}, {{1, math.NaN()}}} {
		var observations []observation
		for _, x := range rows {
			observations = append(observations, observation{x, Pentanomial{1, 2, 3, 2, 2}})
		}
		if r, ok := fit(observations, 2); ok {
			t.Errorf("%v gives %v", rows, r.coefficients)
		}
	}
}
