package stats

import (
	"math"
	"slices"
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
	s := &solver{model: m, terms: make([]gameTerms, len(m.games)), effects: make([]float64, m.fixed()+len(m.provisional))}
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
	covariance [][]float64 // of the fixed effects
	evidence   float64     // for the deviation, by Laplace's approximation; a logarithm
}

// maximize finds the maximum of the posterior density. It ends when the next step would
// gain less than a tolerance in the logarithm of the density. That step is not checked: it
// is the maximum of the quadratic expansion around a point nearby.
func (s *solver) maximize(tolerance float64) maximum {
	for {
		at := s.posterior()
		value, slope := at.value, slices.Clone(at.slope)
		step, covariance, logDet := at.newtonStep()
		gain := dot(slope, step) / 2
		if gain > tolerance && s.climb(value, step) {
			continue
		}
		found := maximum{s.add(step, 1), covariance, value + gain - logDet/2 + math.Log(s.deviation) - s.deviation/deviationMode}
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

// add returns the effects after a part of a step.
func (s *solver) add(step []float64, scale float64) []float64 {
	out := slices.Clone(s.effects)
	for i, d := range step {
		out[i] += scale * d
	}
	return out
}

// climb takes a step from where the density has a value, or a part of the step if all of
// it would lead down. It reports whether it has gained anything.
func (s *solver) climb(value float64, step []float64) bool {
	const smallest = 1e-3
	from := s.effects
	for scale := 1.0; scale >= smallest; scale /= 2 {
		s.effects = from
		s.moveTo(s.add(step, scale))
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
// of which the last is diagonal, since no game has two opponents. Above its diagonal, fixed
// is not filled in.
type expansion struct {
	value    float64
	slope    []float64
	rows     [][]float64 // of fixed, then those of cross
	diagonal []float64   // by opponent
}

func (s *solver) newExpansion() *expansion {
	all, fixed := len(s.effects), s.fixed()
	return &expansion{slope: make([]float64, all), rows: matrix(all, fixed), diagonal: make([]float64, all-fixed)}
}

func (e *expansion) clone() *expansion {
	c := &expansion{e.value, slices.Clone(e.slope), matrix(len(e.rows), len(e.rows[0])), slices.Clone(e.diagonal)}
	for i, row := range e.rows {
		copy(c.rows[i], row)
	}
	return c
}

// posterior expands the posterior density around the effects.
func (s *solver) posterior() *expansion {
	e, fixed := s.likelihood.clone(), s.fixed()
	for i := range fixed {
		mean, deviation := s.prior(i)
		e.addPrior(s.effects[i]-mean, deviation, i, &e.rows[i][i])
	}
	for o := range e.diagonal {
		e.addPrior(s.effects[fixed+o], s.deviationOf(o), fixed+o, &e.diagonal[o])
	}
	walk := driftPrior * math.Sqrt(float64(s.periodLength))
	for i := s.period(1); i < fixed; i++ {
		change := s.effects[i] - s.effects[i-1]
		e.addPrior(change, walk, i, &e.rows[i][i])
		e.slope[i-1] += change / square(walk)
		e.rows[i-1][i-1] += 1 / square(walk)
		e.rows[i][i-1] -= 1 / square(walk)
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
	for i, t := range terms {
		e.slope[t.effect] += t.weight * surprise
		row, curvature := e.rows[t.effect], t.weight*variance
		for _, u := range terms[:min(i+1, fixedTerms)] {
			row[u.effect] += u.weight * curvature
		}
	}
}

// newtonStep returns the step to the maximum of the quadratic expansion, which it destroys.
// The opponents' effects are eliminated first; what remains is the inverse covariance of
// the fixed ones. The logarithm is that of the whole matrix's determinant.
func (e *expansion) newtonStep() (step []float64, covariance [][]float64, logDet float64) {
	n := len(e.slope) - len(e.diagonal)
	fixed, cross := e.rows[:n], e.rows[n:]
	for o, row := range cross {
		logDet += math.Log(e.diagonal[o])
		for i, c := range row {
			if c == 0 {
				continue
			}
			share := c / e.diagonal[o]
			e.slope[i] -= share * e.slope[n+o]
			for j, d := range row[:i+1] {
				fixed[i][j] -= share * d
			}
		}
	}
	for i, row := range fixed {
		for j := range i {
			fixed[j][i] = row[j]
		}
	}
	logDet += invert(fixed)
	for _, row := range fixed {
		step = append(step, dot(row, e.slope[:n]))
	}
	for o, row := range cross {
		step = append(step, (e.slope[n+o]-dot(row, step[:n]))/e.diagonal[o])
	}
	return step, fixed, logDet
}

// invert inverts a symmetric positive definite matrix, and returns the logarithm of its
// determinant.
func invert(m [][]float64) (logDet float64) {
	for k, row := range m {
		pivot := row[k]
		logDet += math.Log(pivot)
		row[k] = 1
		for j := range row {
			row[j] /= pivot
		}
		for i, other := range m {
			if factor := other[k]; i != k {
				other[k] = 0
				for j := range other {
					other[j] -= factor * row[j]
				}
			}
		}
	}
	return logDet
}

// matrix returns a matrix of zeros.
func matrix(rows, columns int) [][]float64 {
	m, all := make([][]float64, rows), make([]float64, rows*columns)
	for i := range m {
		m[i], all = all[:columns:columns], all[columns:]
	}
	return m
}

// dot returns the sum of products; b may be longer.
func dot(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
