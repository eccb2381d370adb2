package match

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// simulateFactors plays pairs at several factors between engines that are equally strong at
// a factor of parity, and of which the opponent gains perDoubling Elo by twice the time.
func simulateFactors(rng *rand.Rand, pairs int, parity, perDoubling, bias float64) (results []FactorResult) {
	for _, factor := range []float64{8, 16, 32, 64} {
		s := newSimulation(perDoubling*math.Log2(parity/factor), bias)
		r := FactorResult{Factor: factor}
		for range pairs {
			r.Summary.Pentanomial[halfPoints(s.favoured, rng)+halfPoints(s.disfavoured, rng)]++
		}
		results = append(results, r)
	}
	return results
}

// The interval contains the parity in about 95 % of all matches, also where openings favour
// a colour, so that the games of a pair depend on each other.
func TestFitParity_Interval(t *testing.T) {
	t.Parallel()
	const matches = 1000
	for _, tt := range []struct{ parity, perDoubling, bias float64 }{{32, 120, 0}, {20, 120, 200}, {100, 200, 0}} {
		rng, within, sum := rand.New(rand.NewPCG(7, 7)), 0, 0.0
		for range matches {
			p := FitParity(simulateFactors(rng, 50, tt.parity, tt.perDoubling, tt.bias))
			if p == nil {
				t.Fatalf("%+v: no parity", tt)
			}
			sum += math.Log2(p.Factor)
			if p.Low <= tt.parity && tt.parity <= p.High {
				within++
			}
		}
		if share := float64(within) / matches; share < 0.93 || share > 0.97 {
			t.Errorf("%+v: %.3f of the intervals contain it", tt, share)
		}
		if mean := sum / matches; math.Abs(mean-math.Log2(tt.parity)) > 0.1 {
			t.Errorf("%+v: the mean is %.1f", tt, math.Exp2(mean))
		}
	}
}

func TestFitParity(t *testing.T) {
	t.Parallel()
	many := FitParity(simulateFactors(rand.New(rand.NewPCG(1, 1)), 100_000, 32, 150, 0))
	if many == nil || !near(many.Factor, 32, 0.5) || !near(many.PerDoubling, 150, 3) || many.High-many.Low > 1 {
		t.Errorf("of many games: %v", many)
	}
	beyond := FitParity([]FactorResult{{64, Summary{Pentanomial: Pentanomial{2: 11, 4: 9}}}, {128, Summary{Pentanomial: Pentanomial{0: 1, 2: 12, 4: 7}}}})
	if beyond == nil || !near(beyond.Factor, 436, 1) || !near(beyond.Low, 136, 1) || !strings.Contains(beyond.String(), "no limit]") {
		t.Errorf("won at both factors: %v", beyond)
	}
	below := FitParity([]FactorResult{{64, Summary{Pentanomial: Pentanomial{0: 7, 2: 12, 4: 1}}}, {128, Summary{Pentanomial: Pentanomial{0: 9, 2: 11}}}})
	if below == nil || below.Low != 0 || below.High > 64 {
		t.Errorf("lost at both factors: %v", below)
	}
	won, lost := Pentanomial{0, 0, 0, 0, 10}, Pentanomial{10}
	even, ahead := Pentanomial{2, 3, 5, 3, 2}, Pentanomial{0, 1, 2, 6, 6}
	for name, results := range map[string][]FactorResult{
		"none":           nil,
		"one factor":     {{8, Summary{Pentanomial: even}}},
		"the same twice": {{8, Summary{Pentanomial: even}}, {8, Summary{Pentanomial: ahead}}},
		"all won":        {{8, Summary{Pentanomial: won}}, {16, Summary{Pentanomial: won}}},
		"a step":         {{8, Summary{Pentanomial: won}}, {16, Summary{Pentanomial: lost}}},
		"rising":         {{8, Summary{Pentanomial: even}}, {16, Summary{Pentanomial: ahead}}},
		"without games":  {{8, Summary{}}, {16, Summary{}}},
	} {
		if p := FitParity(results); p != nil || p.String() != undefined {
			t.Errorf("%s: %v", name, p)
		}
	}
}
