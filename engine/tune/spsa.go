// Package tune tunes options of an engine by SPSA, simultaneous perturbation stochastic
// approximation. Each iteration changes all values by a small random step, in one direction
// for one engine and in the other for a second; the two play a pair of games, and the
// values move towards those of the winner.
//
// [Run] runs the iterations of a [Config] on the [Parameter] list in it. A [State] is the
// result after any number of iterations, and [State.Table] formats it.
package tune

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Parameter is an option to be tuned. Its values are whole numbers.
type Parameter struct {
	Name  string  `json:"name"`
	Start float64 `json:"start"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	// Step is the final perturbation of the value; initially it is about twice as large.
	Step float64 `json:"step"`
}

func (p *Parameter) check() error {
	if p.Name == "" || p.Step <= 0 || p.Min >= p.Max || p.Start < p.Min || p.Start > p.Max {
		return fmt.Errorf("parameter %q from %g, %g to %g by %g: want a start within the bounds and a step above 0",
			p.Name, p.Start, p.Min, p.Max, p.Step)
	}
	return nil
}

// The exponents of the gain sequences recommended by Spall, and the share of the iterations
// that delays the decay of the learning rate.
const (
	rateExponent   = 0.602
	stepExponent   = 0.101
	stabilityShare = 0.1
)

// schedule determines the size of the changes in each iteration.
type schedule struct {
	iterations int
	rate       float64 // final change of a value in steps, per point of difference
}

// step returns the perturbation in iteration k, in steps.
func (s schedule) step(k int) float64 {
	return math.Pow(float64(s.iterations)/float64(k+1), stepExponent)
}

// gain returns the change of the values in iteration k, in steps per point of difference.
func (s schedule) gain(k int) float64 {
	stability := stabilityShare * float64(s.iterations)
	decay := math.Pow((stability+float64(s.iterations))/(stability+float64(k+1)), rateExponent)
	return s.rate * decay / s.step(k)
}

// trial is the comparison of an iteration.
type trial struct {
	k          int
	directions []float64 // 1 or -1 for each parameter
	values     [2][]int  // of the two engines, changed in these directions and in the others

	games  int     // finished
	points float64 // by which the first engine is better, from -2 to 2
}

// directionStream keeps the random numbers of directions apart from those of random
// openings, which are drawn by the same seed and iteration.
const directionStream = 1 << 63

// newTrial perturbs the values by the step of iteration k, in random directions determined
// by the seed. Fractional values are rounded at random, so that steps below 1 have an
// effect.
func newTrial(parameters []Parameter, values []float64, s schedule, seed uint64, k int) *trial {
	rng := rand.New(rand.NewPCG(seed, directionStream|uint64(k))) //nolint:gosec // chance, not secrets
	t := &trial{k: k}
	for i, p := range parameters {
		direction := float64(2*rng.IntN(2) - 1)
		change := direction * s.step(k) * p.Step
		random := rng.Float64()
		t.directions = append(t.directions, direction)
		for side, v := range [2]float64{values[i] + change, values[i] - change} {
			t.values[side] = append(t.values[side], p.round(v, random))
		}
	}
	return t
}

// round rounds v to a whole number within the bounds, up with the probability of its
// fraction, given a random number from 0 to 1.
func (p *Parameter) round(v, random float64) int {
	return int(math.Floor(p.clamp(math.Floor(v + random))))
}

func (p *Parameter) clamp(v float64) float64 { return min(max(v, p.Min), p.Max) }

// update moves the values by the result of a trial.
func update(parameters []Parameter, values []float64, s schedule, t *trial) {
	for i, p := range parameters {
		values[i] = p.clamp(values[i] + s.gain(t.k)*t.points*t.directions[i]*p.Step)
	}
}
