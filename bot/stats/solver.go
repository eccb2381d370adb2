package stats

import (
	"math"
	"slices"
)

// solver finds the effects of a [model] for a deviation of the opponents, by Newton's
// method. It continues from where the last call ended.
type solver struct {
	*model
	deviation float64   // standard deviation of the opponents' effects
	effects   []float64 // the fixed ones, then those of the opponents
}

func newSolver(m *model) *solver {
	return &solver{model: m, effects: make([]float64, m.fixed()+m.opponents)}
}

// maximize moves to the maximum of the posterior density. It returns the covariance of
// the fixed effects there, and the logarithm of the evidence for the deviation, by
// Laplace's approximation.
func (s *solver) maximize() (covariance [][]float64, evidence float64) {
	const precision = 1e-7
	at := s.expand()
	for {
		step, _, _ := at.newtonStep()
		before := at.value
		at = s.climb(before, step)
		if !(at.value-before > precision) {
			break
		}
	}
	_, covariance, logDet := at.newtonStep()
	prior := math.Log(s.deviation) - s.deviation/deviationMode
	return covariance, at.value - float64(s.opponents)*math.Log(s.deviation) - logDet/2 + prior
}

// climb takes a step from where the density has a value, or a part of the step if all of
// it would lead down.
func (s *solver) climb(value float64, step []float64) *expansion {
	const smallest = 1e-3
	from := slices.Clone(s.effects)
	for scale := 1.0; ; scale /= 2 {
		for i, d := range step {
			s.effects[i] = from[i] + scale*d
		}
		if next := s.expand(); next.value >= value || scale < smallest {
			return next
		}
	}
}

// expansion is the logarithm of the posterior density around a point: its value, its
// gradient, and its negative second derivatives, a matrix of the blocks
//
//	fixed   cross'
//	cross   diagonal
//
// of which the last is diagonal, since no game has two opponents.
type expansion struct {
	value    float64
	slope    []float64
	rows     [][]float64 // of fixed, then those of cross
	diagonal []float64   // by opponent
}

// expand computes the expansion at the current effects.
func (s *solver) expand() *expansion {
	all, fixed := len(s.effects), s.fixed()
	e := &expansion{slope: make([]float64, all), rows: matrix(all, fixed), diagonal: make([]float64, s.opponents)}
	for i, effect := range s.effects {
		deviation, curvature := s.deviation, &e.diagonal[max(0, i-fixed)]
		if i < fixed {
			deviation, curvature = s.prior(i), &e.rows[i][i]
		}
		precision := 1 / square(deviation)
		e.value -= precision * square(effect) / 2
		e.slope[i] -= precision * effect
		*curvature += precision
	}
	for i := range s.games {
		s.addGame(e, &s.games[i])
	}
	return e
}

// addGame adds the likelihood of a game's score.
func (s *solver) addGame(e *expansion, o *observation) {
	terms := s.terms(o)
	x := (s.center - o.rating) * eloUnit
	for _, t := range terms {
		x += t.weight * s.effects[t.effect]
	}
	expected := 1 / (1 + math.Exp(-x))
	surprise, variance := o.score-expected, expected*(1-expected)
	e.value += o.score*x - max(x, 0) - math.Log1p(math.Exp(-math.Abs(x)))
	e.diagonal[o.opponent] += variance
	for _, t := range terms {
		e.slope[t.effect] += t.weight * surprise
		for _, u := range terms[:fixedTerms] {
			e.rows[t.effect][u.effect] += t.weight * u.weight * variance
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
			share := c / e.diagonal[o]
			e.slope[i] -= share * e.slope[n+o]
			for j, d := range row {
				fixed[i][j] -= share * d
			}
		}
	}
	logDet += invert(fixed)
	for _, row := range fixed {
		step = append(step, dot(row, e.slope))
	}
	for o, row := range cross {
		step = append(step, (e.slope[n+o]-dot(row, step))/e.diagonal[o])
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

func dot(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
