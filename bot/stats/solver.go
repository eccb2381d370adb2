package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// solver finds the effects of a [model] for a deviation of the opponents, by Newton's
// method. It continues from where the last call ended.
type solver struct {
	*model
	terms     []gameTerms // by game
	counted   int         // how many of the games count
	refitted  int         // how many counted when the deviation was estimated
	deviation float64     // standard deviation of the opponents' effects

	effects    []float64  // the fixed ones, then those of the opponents
	likelihood *expansion // of the games that count, around the effects
}

func newSolver(m *model) *solver {
	s := &solver{model: m, terms: make([]gameTerms, len(m.games)),
		effects: make([]float64, m.fixed()+len(m.provisional))}
	for i := range m.games {
		s.terms[i] = m.terms(&m.games[i])
	}
	s.likelihood = s.newExpansion()
	return s
}

// count adds games until n of them count.
func (s *solver) count(n int) {
	for ; s.counted < n; s.counted++ {
		s.addGame(s.likelihood, s.counted)
	}
}

// moveTo changes the effects, around which the likelihood is expanded.
func (s *solver) moveTo(effects []float64) {
	s.effects, s.likelihood = effects, s.newExpansion()
	for i := range s.counted {
		s.addGame(s.likelihood, i)
	}
}

// maximum describes the maximum of the posterior density for a deviation.
type maximum struct {
	effects    []float64
	covariance *mat.SymDense // of the fixed effects
	evidence   float64       // for the deviation, by Laplace's approximation; a logarithm
}

// maximize finds the maximum of the posterior density. It ends when the next step would
// gain less than a tolerance in the logarithm of the density. That step is not checked: it
// is the maximum of the quadratic expansion around a point nearby.
func (s *solver) maximize(tolerance float64) maximum {
	for {
		at := s.posterior()
		value, slope := at.value, slices.Clone(at.slope)
		step, covariance, logDet := at.newtonStep()
		gain := floats.Dot(slope, step) / 2
		if gain > tolerance && s.climb(value, step) {
			continue
		}
		found := maximum{s.after(step, 1), covariance, value + gain - logDet/2 +
			math.Log(s.deviation) - s.deviation/deviationMode}
		for o := range s.provisional {
			found.evidence -= math.Log(s.deviationOf(o))
		}
		return found
	}
}

// deviationOf returns the standard deviation of an opponent's effect.
func (s *solver) deviationOf(opponent int) float64 {
	if s.provisional[opponent] {
		return math.Hypot(s.deviation, provisionalDeviation)
	}
	return s.deviation
}

// after returns the effects after a part of a step.
func (s *solver) after(step []float64, part float64) []float64 {
	return floats.AddScaledTo(make([]float64, len(step)), s.effects, part, step)
}

// climb takes a step from where the density has a value, or a part of the step if all of
// it would lead down. It reports whether it has gained anything.
func (s *solver) climb(value float64, step []float64) bool {
	const smallest = 1e-3
	from := s.effects
	for scale := 1.0; scale >= smallest; scale /= 2 {
		s.effects = from
		s.moveTo(s.after(step, scale))
		if s.posterior().value > value {
			return true
		}
	}
	s.moveTo(from)
	return false
}

// expansion is the logarithm of a density around a point: its value, its
// gradient, and its negative second derivatives, a symmetric matrix of the blocks
//
//	fixed   cross'
//	cross   diagonal
//
// of which the last is diagonal, since no game has two opponents.
type expansion struct {
	value    float64
	slope    []float64
	columns  *mat.Dense // fixed, and below it cross
	diagonal []float64  // by opponent
}

func (s *solver) newExpansion() *expansion {
	all, fixed := len(s.effects), s.fixed()
	return &expansion{slope: make([]float64, all), columns: mat.NewDense(all, fixed, nil),
		diagonal: make([]float64, all-fixed)}
}

func (e *expansion) clone() *expansion {
	return &expansion{e.value, slices.Clone(e.slope), mat.DenseCopyOf(e.columns), slices.Clone(e.diagonal)}
}

// posterior expands the posterior density around the effects.
func (s *solver) posterior() *expansion {
	e, fixed := s.likelihood.clone(), s.fixed()
	for i := range fixed {
		mean, deviation := s.prior(i)
		e.addPrior(s.effects[i]-mean, deviation, i, &e.columns.RawRowView(i)[i])
	}
	for o := range e.diagonal {
		e.addPrior(s.effects[fixed+o], s.deviationOf(o), fixed+o, &e.diagonal[o])
	}
	walk := driftPrior * math.Sqrt(float64(s.periodLength))
	for i := s.period(1); i < fixed; i++ {
		change, before, row := s.effects[i]-s.effects[i-1], e.columns.RawRowView(i-1), e.columns.RawRowView(i)
		e.addPrior(change, walk, i, &row[i])
		e.slope[i-1] += change / square(walk)
		before[i-1] += 1 / square(walk)
		before[i] -= 1 / square(walk)
		row[i-1] -= 1 / square(walk)
	}
	return e
}

// addPrior adds the density of an effect's difference from its mean.
func (e *expansion) addPrior(difference, deviation float64, effect int, curvature *float64) {
	precision := 1 / square(deviation)
	e.value -= precision * square(difference) / 2
	e.slope[effect] -= precision * difference
	*curvature += precision
}

// addGame adds the likelihood of a game's score.
func (s *solver) addGame(e *expansion, i int) {
	terms, o := &s.terms[i], &s.games[i]
	x := (s.center - o.rating) * eloUnit
	for _, t := range terms {
		x += t.weight * s.effects[t.effect]
	}
	small := math.Exp(-math.Abs(x))
	expected := 1 / (1 + small)
	e.value += o.score*x - max(x, 0) + math.Log(expected)
	if x < 0 {
		expected = 1 - expected
	}
	surprise, variance := o.score-expected, expected*(1-expected)
	e.diagonal[o.opponent] += variance
	for _, t := range terms {
		e.slope[t.effect] += t.weight * surprise
		row, curvature := e.columns.RawRowView(t.effect), t.weight*variance
		for _, u := range terms[:fixedTerms] {
			row[u.effect] += u.weight * curvature
		}
	}
}

// newtonStep returns the step to the maximum of the quadratic expansion, which it destroys.
// The opponents' effects are eliminated first; what remains is the inverse covariance of
// the fixed ones. The logarithm is that of the whole matrix's determinant.
func (e *expansion) newtonStep() (step []float64, covariance *mat.SymDense, logDet float64) {
	_, n := e.columns.Dims()
	fixed := mat.NewSymDense(n, e.columns.RawMatrix().Data[:n*n])
	for o, d := range e.diagonal {
		cross := e.columns.RawRowView(n + o)
		fixed.SymRankOne(fixed, -1/d, mat.NewVecDense(n, cross))
		floats.AddScaled(e.slope[:n], -e.slope[n+o]/d, cross)
		logDet += math.Log(d)
	}
	var decomposed mat.Cholesky
	covariance = new(mat.SymDense)
	if !decomposed.Factorize(fixed) || decomposed.InverseTo(covariance) != nil {
		panic("not positive definite") // the priors make it so
	}
	step = make([]float64, n, len(e.slope))
	mat.NewVecDense(n, step).MulVec(covariance, mat.NewVecDense(n, e.slope[:n]))
	for o, d := range e.diagonal {
		step = append(step, (e.slope[n+o]-floats.Dot(e.columns.RawRowView(n+o), step[:n]))/d)
	}
	return step, covariance, logDet + decomposed.LogDet()
}
