package match

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// simulateTournament plays pairs between engines of some strengths in Elo.
func simulateTournament(rng *rand.Rand, pairs int, bias float64, pairings func(int) []Pairing, strengths ...float64) (t Tournament) {
	for i := range strengths {
		t.Names = append(t.Names, string(rune('a'+i)))
	}
	for _, p := range pairings(len(strengths)) {
		s := newSimulation(strengths[p.Engine]-strengths[p.Opponent], bias)
		for range pairs {
			p.Summary.Pentanomial[halfPoints(s.favoured, rng)+halfPoints(s.disfavoured, rng)]++
		}
		t.Pairings = append(t.Pairings, countGames(p))
	}
	return t
}

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

// The intervals contain the strengths in about 95 % of tournaments, also where openings
// favour a colour, and the likelihoods say how often the order is right.
func TestTournament_Standings_Interval(t *testing.T) {
	t.Parallel()
	const tournaments = 250
	strengths := []float64{60, 20, -10, -70} // their mean is 0
	for _, tt := range []struct {
		bias     float64
		pairings func(int) []Pairing
	}{{0, RoundRobin}, {200, RoundRobin}, {0, Gauntlet}} {
		rng, within, ahead, likely := rand.New(rand.NewPCG(5, 5)), 0, 0.0, 0.0
		for range tournaments {
			standings := simulateTournament(rng, 100, tt.bias, tt.pairings, strengths...).Standings()
			for i, s := range standings {
				if strength := strengths[s.Engine]; s.Elo.Low <= strength && strength <= s.Elo.High {
					within++
				}
				if s.LOS != nil {
					likely += *s.LOS
					if strengths[s.Engine] > strengths[standings[i+1].Engine] {
						ahead++
					}
				}
			}
		}
		if share := float64(within) / tournaments / float64(len(strengths)); share < 0.92 || share > 0.98 {
			t.Errorf("bias %g: %.3f of the intervals contain the strength", tt.bias, share)
		}
		if !near(ahead/likely, 1, 0.08) {
			t.Errorf("bias %g: ahead in %.0f cases, expected in %.0f", tt.bias, ahead, likely)
		}
	}
}

// Two engines differ as in a match.
func TestTournament_Standings_TwoEngines(t *testing.T) {
	t.Parallel()
	pairs := Pentanomial{10, 20, 20, 30, 20}
	s := Tournament{[]string{"a", "b"}, []Pairing{countGames(Pairing{0, 1, Summary{Pentanomial: pairs}})}}.Standings()
	want := pairs.Elo()
	if got := s[0].Elo.Difference - s[1].Elo.Difference; !near(got, want.Difference, 1e-6) || !near(*s[0].LOS, want.LOS, 0.01) || s[1].LOS != nil {
		t.Errorf("difference %g, LOS %g, want %+v", got, *s[0].LOS, want)
	}
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
		"first and last": {[]Pentanomial{won, won, won, ahead, won, won}, "abcd", "[a: undefined b: 39 c: -39 d: undefined]"},
		"a chain":        {[]Pentanomial{won, won, won, won, won, won}, "abcd", "[a: undefined b: undefined c: undefined d: undefined]"},
		"two groups":     {[]Pentanomial{even, won, won, won, won, even}, "abcd", "[a: undefined b: undefined c: undefined d: undefined]"},
		"no games":       {[]Pentanomial{{}, {}, {}}, "abc", "[a: undefined b: undefined c: undefined]"},
		"all alike":      {[]Pentanomial{{2: 9}, {2: 9}, {2: 9}}, "abc", "[a: undefined b: undefined c: undefined]"},
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
	tournament := Tournament{[]string{"old", "new", "weak"}, []Pairing{
		{0, 1, Summary{Engine: SideSummary{Limit: "3+0.03", Hangs: 1}, Opponent: SideSummary{Limit: "100 nodes"}, Games: 8, Wins: 2, Draws: 1, Losses: 5, Pentanomial: Pentanomial{0, 3, 1}}},
		{1, 2, Summary{Engine: SideSummary{Limit: "100 nodes"}, Opponent: SideSummary{Limit: "depth 1"}, Games: 2, Wins: 2, Pentanomial: Pentanomial{4: 1}}},
		{0, 2, Summary{}},
	}}
	want := `   engine  limit      Elo                    LOS     score   games  faults  1      2      3
1  new     100 nodes  +68.5 [+25.6, +111.4]  99.9 %  75.0 %  10     0              5.5/8  2/2
2  old     3+0.03     -68.5 [-111.4, -25.6]          31.2 %  8      1       2.5/8         
3  weak    depth 1    undefined                      0.0 %   2      0       0/2           
`
	if diff := cmp.Diff(want, tournament.Table()); diff != "" {
		t.Errorf("Table (-want +got):\n%s", diff)
	}
}

func TestGauntlet(t *testing.T) {
	t.Parallel()
	if got := Gauntlet(4); !slices.EqualFunc(got, []int{1, 2, 3}, func(p Pairing, opponent int) bool { return p.Engine == 0 && p.Opponent == opponent }) {
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
