package match

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }

func TestPentanomial_Elo(t *testing.T) {
	t.Parallel()
	// By hand: 100 pairs, mean (20·½ + 30·¾ + 20·1 + 20·¼)/100 = 0.575;
	// variance (10·.330625 + 20·.105625 + 20·.005625 + 30·.030625 + 20·.180625)/100
	// = 0.100625; standard error 0.0317214.
	p := Pentanomial{10, 20, 20, 30, 20}
	mean, variance := p.moments(0)
	if !near(mean, 0.575, 1e-12) || !near(variance, 0.100625, 1e-12) {
		t.Errorf("moments(0) = %v, %v, want 0.575, 0.100625", mean, variance)
	}
	e := p.Elo()
	if e == nil {
		t.Fatal("Elo() is undefined")
	}
	// 400·log10(.575/.425) = 52.5; the bounds at .512827 and .637173; z = 2.36433.
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"Difference", e.Difference, 52.511},
		{"Low", e.Low, 8.915},
		{"High", e.High, 97.823},
	} {
		if !near(c.got, c.want, 0.01) {
			t.Errorf("%s = %.4f, want %.3f", c.name, c.got, c.want)
		}
	}
	if !near(e.LOS, 0.990969, 1e-5) {
		t.Errorf("LOS = %.6f, want 0.990969", e.LOS)
	}
}

func TestPentanomial_undefined(t *testing.T) {
	t.Parallel()
	test := SPRT{0, 10}
	for _, p := range []Pentanomial{{}, {0, 0, 500, 0, 0}, {0, 0, 0, 0, 12}, {3}} {
		if e := p.Elo(); e != nil {
			t.Errorf("%v.Elo() = %v, want undefined", p, *e)
		}
		if llr := test.LLR(p); llr != nil {
			t.Errorf("LLR(%v) = %v, want undefined", p, *llr)
		}
		if v := test.Verdict(p); v != Undecided {
			t.Errorf("Verdict(%v) = %s", p, v)
		}
	}
}

func TestPentanomial_boundsStayFinite(t *testing.T) {
	t.Parallel()
	e := Pentanomial{0, 0, 0, 1, 5}.Elo()
	if e == nil || e.High != eloLimit || e.Low >= e.Difference || e.Difference >= e.High {
		t.Errorf("Elo() = %+v, want Low < Difference < High = %d", e, eloLimit)
	}
}

func TestSPRT_LLR(t *testing.T) {
	t.Parallel()
	// By hand: s0 = .5, s1 = .514387; with half a pair more of each kind the
	// variance is 10.388696/102.5 = .101353; so the ratio is
	// 100 · .0143872 · (1.15 − 1.0143872) / (2 · .101353) = 0.96252.
	test := SPRT{0, 10}
	llr := test.LLR(Pentanomial{10, 20, 20, 30, 20})
	if llr == nil || !near(*llr, 0.96252, 1e-4) {
		t.Errorf("LLR = %v, want 0.96252", *llr)
	}
	if !near(test.Bound(), 2.944439, 1e-6) {
		t.Errorf("Bound() = %v, want ln 19", test.Bound())
	}
}

func TestSPRT_Verdict(t *testing.T) {
	t.Parallel()
	test := SPRT{0, 50}
	for _, c := range []struct {
		p    Pentanomial
		want Verdict
	}{
		{Pentanomial{5, 0, 10, 0, 5}, Undecided},
		{Pentanomial{50, 0, 200, 0, 150}, AcceptedH1},
		{Pentanomial{150, 0, 200, 0, 50}, AcceptedH0},
	} {
		if got := test.Verdict(c.p); got != c.want {
			t.Errorf("Verdict(%v) = %s, want %s", c.p, got, c.want)
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

// TestSPRT_errorRates simulates 2,000 matches at each bound of each test and counts wrong
// verdicts. Openings favour one colour by bias, which makes the two games of a pair
// dependent; few games are drawn.
func TestSPRT_errorRates(t *testing.T) {
	t.Parallel()
	const matches, allowed = 2000, 0.07
	for _, c := range []struct {
		test SPRT
		bias float64
	}{{SPRT{0, 20}, 0}, {SPRT{0, 20}, 150}, {SPRT{0, 50}, 150}, {SPRT{-30, 0}, 0}, {SPRT{100, 200}, 50}} {
		for elo, wrong := range map[float64]Verdict{c.test.Elo0: AcceptedH1, c.test.Elo1: AcceptedH0} {
			rng := rand.New(rand.NewPCG(1, math.Float64bits(elo)))
			s, errors := newSimulation(elo, c.bias), 0
			for range matches {
				if verdict, _ := s.match(c.test, rng); verdict == wrong {
					errors++
				}
			}
			if rate := float64(errors) / matches; rate > allowed {
				t.Errorf("SPRT %v, bias %g, at %g Elo: %.3f %s, want at most %g", c.test, c.bias, elo, rate, wrong, allowed)
			}
		}
	}
}

// Simulated matches last as long as the forecast says, and end as often with H1.
func TestSPRT_Forecast(t *testing.T) {
	t.Parallel()
	const matches = 600
	test := SPRT{0, 20}
	for _, elo := range []float64{0, 4, 10, 16, 40} {
		rng, s := rand.New(rand.NewPCG(1, math.Float64bits(elo))), newSimulation(elo, 0)
		played, accepted := 0, 0
		for range matches {
			verdict, games := s.match(test, rng)
			played += games
			if verdict == AcceptedH1 {
				accepted++
			}
		}
		games, h1 := test.Forecast(elo)
		if mean := float64(played) / matches; !near(mean/float64(games), 1, 0.1) {
			t.Errorf("at %g Elo: %.0f games, forecast %d", elo, mean, games)
		}
		if share := float64(accepted) / matches; !near(share, h1, 0.05) {
			t.Errorf("at %g Elo: H1 in %.3f of matches, forecast %.3f", elo, share, h1)
		}
	}
	want := "SPRT [0, 8] needs about 9900 games for a gain of 0 Elo (H1 in 5 %), 16200 games for a gain of 4 Elo (H1 in 50 %), " +
		"9900 games for a gain of 8 Elo (H1 in 95 %), 3700 games for a gain of 16 Elo (H1 in 100 %)"
	if got := (SPRT{0, 8}).ForecastText(); got != want {
		t.Errorf("%s, want %s", got, want)
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

// match plays pairs until the verdict, and returns how many games that takes.
func (s simulation) match(test SPRT, rng *rand.Rand) (Verdict, int) {
	var p Pentanomial
	for games := 2; ; games += 2 {
		p[halfPoints(s.favoured, rng)+halfPoints(s.disfavoured, rng)]++
		if v := test.Verdict(p); v != Undecided {
			return v, games
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
