package tune

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The values converge to the optimum when the winner is decided by the distance to it, and
// by chance.
func TestUpdate_FindsTheBestValues(t *testing.T) {
	parameters := []Parameter{
		{Name: "a", Start: 100, Min: 0, Max: 200, Step: 10},
		{Name: "b", Start: 20, Min: 0, Max: 100, Step: 5},
		{Name: "useless", Start: 50, Min: 0, Max: 100, Step: 5},
		{Name: "at its bound", Start: 3, Min: 1, Max: 9, Step: 1},
	}
	best := []float64{140, 10, math.NaN(), 1}
	elo := func(values []int) (sum float64) {
		for i, v := range values {
			if off := (float64(v) - best[i]) / parameters[i].Step; !math.IsNaN(off) {
				sum -= 5 * off * off
			}
		}
		return sum
	}
	s := schedule{iterations: 10_000, rate: DefaultRate}
	values := []float64{100, 20, 50, 3}
	rng := rand.New(rand.NewPCG(1, 2))
	for k := range s.iterations {
		trial := newTrial(parameters, values, s, 7, k)
		win := 1 / (1 + math.Pow(10, (elo(trial.values[1])-elo(trial.values[0]))/400))
		for range 2 {
			if rng.Float64() < win {
				trial.points++
			} else {
				trial.points--
			}
		}
		update(parameters, values, s, trial)
	}
	for i, p := range parameters {
		if off := math.Abs(values[i]-best[i]) / p.Step; off > 1 {
			t.Errorf("%s is %.1f, %.1f steps from the best value %g", p.Name, values[i], off, best[i])
		}
	}
}

// Of ten pairs, all won by the higher values of the first parameter, the second one's were on
// the same side in six.
func TestState_TablesGains(t *testing.T) {
	s := newState([]Parameter{{Name: "a", Max: 9, Step: 1}, {Name: "b", Max: 9, Step: 1}})
	for i := range 10 {
		s.count(0.5, []float64{1, float64(1 - 2*(i%5%2))})
	}
	want := `parameter  start  now  steps  higher against lower
a          0      0    +0.0   +86.9 ± 53.8 Elo
b          0      0    +0.0   +17.4 ± 53.8 Elo
`
	if diff := cmp.Diff(want, s.Table()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestNewTrial_StaysWithinBounds(t *testing.T) {
	parameters := []Parameter{{Name: "low", Start: 1, Min: 1, Max: 5, Step: 2},
		{Name: "high", Start: 5, Min: 1, Max: 5, Step: 2}}
	s := schedule{iterations: 100, rate: 1}
	for k := range 100 {
		trial := newTrial(parameters, []float64{1, 5}, s, 3, k)
		for _, values := range trial.values {
			for i, v := range values {
				if v < 1 || v > 5 {
					t.Fatalf("iteration %d: %s is %d", k, parameters[i].Name, v)
				}
			}
		}
	}
}

// Directions do not depend on the random opening of the same seed and iteration.
func TestNewTrial_OwnRandomNumbers(t *testing.T) {
	parameters, agree := []Parameter{{Name: "a", Start: 3, Min: 1, Max: 5, Step: 2}}, 0
	for k := range 100 {
		opening := rand.New(rand.NewPCG(3, uint64(k)))
		trial := newTrial(parameters, []float64{3}, schedule{iterations: 100, rate: 1}, 3, k)
		if trial.directions[0] == float64(2*opening.IntN(2)-1) {
			agree++
		}
	}
	if agree < 30 || agree > 70 {
		t.Errorf("%d of 100 directions are those of the opening's first random number, want about half", agree)
	}
}

// A fractional value is rounded up or down, and is right on average.
func TestParameter_RoundsAtRandom(t *testing.T) {
	p := Parameter{Min: 0, Max: 10}
	rng, sum := rand.New(rand.NewPCG(1, 1)), 0
	const n = 10_000
	for range n {
		sum += p.round(2.3, rng.Float64())
	}
	if mean := float64(sum) / n; math.Abs(mean-2.3) > 0.02 {
		t.Errorf("mean %.3f, want 2.3", mean)
	}
}

func TestSchedule_EndsAtStepAndRate(t *testing.T) {
	s := schedule{iterations: 1000, rate: 0.006}
	if last := s.step(999); math.Abs(last-1) > 1e-9 {
		t.Errorf("last step %g, want 1", last)
	}
	if last := s.gain(999); math.Abs(last-0.006) > 1e-9 {
		t.Errorf("last gain %g, want the rate", last)
	}
	for k := 1; k < 1000; k++ {
		if s.step(k) >= s.step(k-1) {
			t.Fatalf("step rises at iteration %d", k)
		}
	}
}
