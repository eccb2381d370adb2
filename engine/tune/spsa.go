// Package tune looks for better values of an engine's options by SPSA:
// simultaneous perturbation stochastic approximation. In each iteration all values
// are moved a little at random, up in one engine and down in the other, the two play
// a pair of games, and the values move towards those of the winner.
//
// [Run] tunes; [State] is what is known after any number of iterations, and
// [State.Table] shows it.
package tune

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Parameter is an option whose value is tuned: a whole number.
type Parameter struct {
	Name  string  `json:"name"`
	Start float64 `json:"start"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	// Step is how far the value is moved at the end, up and down; at the beginning it
	// is moved about twice as far.
	Step float64 `json:"step"`
}

func (p *Parameter) check() error {
	if p.Name == "" || p.Step <= 0 || p.Min >= p.Max || p.Start < p.Min || p.Start > p.Max {
		return fmt.Errorf("parameter %q from %g, %g to %g by %g: want a start within the bounds and a step above 0", p.Name, p.Start, p.Min, p.Max, p.Step)
	}
	return nil
}

// The exponents that Spall recommends for the gains, and the part of the iterations
// in which the learning rate hardly falls.
const (
	rateExponent   = 0.602
	stepExponent   = 0.101
	stabilityShare = 0.1
)

// schedule says how far values are moved in each iteration.
type schedule struct {
	iterations int
	rate       float64 // at the end: the part of a step that a point of difference moves a value
}

// step returns how many steps the values are moved up and down in iteration k.
func (s schedule) step(k int) float64 {
	return math.Pow(float64(s.iterations)/float64(k+1), stepExponent)
}

// gain returns by how many steps a point of difference moves the values in
// iteration k.
func (s schedule) gain(k int) float64 {
	stability := stabilityShare * float64(s.iterations)
	fall := math.Pow((stability+float64(s.iterations))/(stability+float64(k+1)), rateExponent)
	return s.rate * fall / s.step(k)
}

// trial is what is compared in an iteration: whole values for the two engines.
type trial struct {
	k          int
	directions []float64 // 1 or -1 for each parameter
	up, down   []int     // the values to be played
}

// newTrial moves the values by the step of iteration k, in directions that the seed
// decides. Values between two whole numbers are rounded at random, so that steps
// below 1 are felt, too.
func newTrial(parameters []Parameter, values []float64, s schedule, seed uint64, k int) trial {
	rng := rand.New(rand.NewPCG(seed, uint64(k))) //nolint:gosec // chance, not secrets
	t := trial{k: k}
	for i, p := range parameters {
		direction := float64(2*rng.IntN(2) - 1)
		by := direction * s.step(k) * p.Step
		at := rng.Float64()
		t.directions = append(t.directions, direction)
		t.up = append(t.up, p.round(values[i]+by, at))
		t.down = append(t.down, p.round(values[i]-by, at))
	}
	return t
}

// round returns a whole number within the bounds, the one above v with a
// probability of v's fraction.
func (p *Parameter) round(v, at float64) int {
	return int(math.Floor(p.clamp(math.Floor(v + at))))
}

func (p *Parameter) clamp(v float64) float64 { return min(max(v, p.Min), p.Max) }

// update moves the values by the result of a trial: the points by which the engine
// with the values moved up was better, from -2 to 2.
func update(parameters []Parameter, values []float64, s schedule, t trial, points float64) {
	for i, p := range parameters {
		values[i] = p.clamp(values[i] + s.gain(t.k)*points*t.directions[i]*p.Step)
	}
}
