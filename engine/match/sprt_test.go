package match

import (
	"math"
	"math/rand/v2"
	"testing"
)

// drawRate is about that of crazyhouse between equal engines.
const drawRate = 0.01

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }

func TestPentanomial_undefined(t *testing.T) {
	t.Parallel()
	for _, p := range []Pentanomial{{}, {0, 0, 500, 0, 0}, {0, 0, 0, 0, 12}, {3}} {
		if e := p.Elo(); e != nil {
			t.Errorf("%v.Elo() = %v, want undefined", p, *e)
		}
	}
}

func TestPentanomial_boundsStayFinite(t *testing.T) {
	t.Parallel()
	won, lost := Pentanomial{3: 1, 4: 5}.Elo(), Pentanomial{5, 1}.Elo()
	if won.High != eloLimit || won.Low >= won.Difference || lost.Low != -eloLimit || lost.High <= lost.Difference {
		t.Errorf("won nearly all: %v; lost nearly all: %v", won, lost)
	}
}

func TestSPRT_LLR(t *testing.T) {
	t.Parallel()
	// By hand: the mean is .575, s0 = .5, s1 = .514387; with half a pair more of each kind the
	// variance is 10.388696/102.5 = .101353; so the ratio is
	// 50 · ln((.101353 + .075²) / (.101353 + .060613²)) = 0.92033.
	test := SPRT{0, 10}
	if llr := test.LLR(Pentanomial{10, 20, 20, 30, 20}); !near(llr, 0.92033, 1e-4) {
		t.Errorf("LLR = %v, want 0.92033", llr)
	}
	if !near(test.Bound(), 2.944439, 1e-6) {
		t.Errorf("Bound() = %v, want ln 19", test.Bound())
	}
}

// A match that is won, lost or drawn without an exception is decided.
func TestSPRT_Verdict(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		test SPRT
		p    Pentanomial
		want Verdict
	}{
		{SPRT{0, 8}, Pentanomial{}, Undecided},
		{SPRT{0, 8}, Pentanomial{4: 5}, Undecided},
		{SPRT{0, 8}, Pentanomial{4: 200}, AcceptedH1},
		{SPRT{0, 8}, Pentanomial{200}, AcceptedH0},
		{SPRT{0, 50}, Pentanomial{4: 10_000}, AcceptedH1},
		{SPRT{0, 50}, Pentanomial{2: 10_000}, AcceptedH0},
		{SPRT{-1000, 1000}, Pentanomial{4: 100}, AcceptedH1},
	} {
		if got := tt.test.Verdict(tt.p); got != tt.want {
			t.Errorf("%v after %v: %s, want %s", tt.test, tt.p, got, tt.want)
		}
	}
}

func TestParseSPRT(t *testing.T) {
	t.Parallel()
	if got, err := ParseSPRT("-5, 2.5"); err != nil || got != (SPRT{-5, 2.5}) {
		t.Errorf("ParseSPRT = %v, %v", got, err)
	}
	for _, bad := range []string{"", "5", "10,0", "3,3", "a,b", "0,NaN", "0,Inf", "-9999,0"} {
		if got, err := ParseSPRT(bad); err == nil {
			t.Errorf("ParseSPRT(%q) = %v, want an error", bad, got)
		}
	}
}

// TestSPRT_errorRates simulates 1,000 matches at each bound of each test and counts wrong
// verdicts. Openings favour one colour by bias, which makes the two games of a pair
// dependent; few games are drawn.
func TestSPRT_errorRates(t *testing.T) {
	t.Parallel()
	const matches, allowed = 1000, 0.07
	for _, c := range []struct {
		test SPRT
		bias float64
	}{{SPRT{0, 40}, 0}, {SPRT{0, 50}, 150}, {SPRT{-50, 0}, 0}, {SPRT{100, 200}, 50}} {
		for elo, wrong := range map[float64]Verdict{c.test.Elo0: AcceptedH1, c.test.Elo1: AcceptedH0} {
			rng := rand.New(rand.NewPCG(1, math.Float64bits(elo)))
			s, errors := newSimulation(elo, c.bias), 0
			for range matches {
				if s.match(c.test, rng) == wrong {
					errors++
				}
			}
			if rate := float64(errors) / matches; rate > allowed {
				t.Errorf("SPRT %v, bias %g, at %g Elo: %.3f %s, want at most %g",
					c.test, c.bias, elo, rate, wrong, allowed)
			}
		}
	}
}

// simulation holds the engine's chances of winning from either side of a biased opening.
type simulation struct{ favoured, disfavoured float64 }

// newSimulation finds the strength that scores with both colours of biased openings what
// elo scores without bias, since a bias brings the mean closer to one half.
func newSimulation(elo, bias float64) simulation {
	low, high := -2000.0, 2000.0
	for range 60 {
		mid := (low + high) / 2
		if (scoreFromElo(mid+bias)+scoreFromElo(mid-bias))/2 < scoreFromElo(elo) {
			low = mid
		} else {
			high = mid
		}
	}
	return simulation{scoreFromElo(low+bias) - drawRate/2, scoreFromElo(low-bias) - drawRate/2}
}

// match plays pairs until the verdict.
func (s simulation) match(test SPRT, rng *rand.Rand) Verdict {
	var p Pentanomial
	for {
		p[halfPoints(s.favoured, rng)+halfPoints(s.disfavoured, rng)]++
		if v := test.Verdict(p); v != Undecided {
			return v
		}
	}
}

// halfPoints simulates a game.
func halfPoints(win float64, rng *rand.Rand) int {
	switch r := rng.Float64(); {
	case r < win:
		return 2
	case r < win+drawRate:
		return 1
	}
	return 0
}
