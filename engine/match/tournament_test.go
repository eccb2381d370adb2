package match

import (
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

func TestTournament_Table(t *testing.T) {
	t.Parallel()
	older, newer := SideSummary{Limit: "3+0.03", Faults: map[Ending]int{Hang: 1}}, SideSummary{Limit: "100 nodes"}
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
	want := `   engine  limit      Elo                     score   games  faults  1      2      3      4
1  new     100 nodes  +107.5 [+27.0, +201.4]  65.0 %  30     0              12/20  5.5/8  2/2
2  third   depth 4    -36.7 [-124.0, +46.1]   44.7 %  38     0       8/20          9/18   
3  old     3+0.03     -40.3 [-147.4, +59.6]   44.2 %  26     2       2.5/8  9/18          
4  weak    depth 1    undefined               0.0 %   2      0       0/2                  
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
