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
	fixed     []float64 // effects
	random    []float64 // effects, by opponent
}

func newSolver(m *model) *solver {
	return &solver{model: m, fixed: make([]float64, m.effects()), random: make([]float64, m.opponents)}
}

// maximize moves to the maximum of the posterior density. It returns the covariance of
// the fixed effects there, and the logarithm of the evidence for the deviation, by
// Laplace's approximation.
func (s *solver) maximize() (covariance [][]float64, evidence float64) {
	const precision = 1e-7
	at := s.expand()
	for {
		fixed, random, _, _ := at.newtonStep()
		before := at.value
		at = s.climb(at, fixed, random)
		if !(at.value-before > precision) {
			break
		}
	}
	_, _, covariance, logDet := at.newtonStep()
	for _, c := range at.randomCurvature {
		logDet += math.Log(c)
	}
	prior := math.Log(s.deviation) - s.deviation/deviationMode
	return covariance, at.value - float64(len(s.random))*math.Log(s.deviation) - logDet/2 + prior
}

// climb takes a step, or a part of it if all of it would lead down.
func (s *solver) climb(from *expansion, fixed, random []float64) *expansion {
	const smallest = 1e-3
	f, r := slices.Clone(s.fixed), slices.Clone(s.random)
	for scale := 1.0; ; scale /= 2 {
		for i, d := range fixed {
			s.fixed[i] = f[i] + scale*d
		}
		for i, d := range random {
			s.random[i] = r[i] + scale*d
		}
		if next := s.expand(); next.value >= from.value || scale < smallest {
			return next
		}
	}
}

// expansion is the logarithm of the posterior density around a point: its value, its
// gradient, and its negative second derivatives, a matrix of the blocks
//
//	curvature   cross'
//	cross       randomCurvature
//
// of which the last is diagonal, since no game has two opponents.
type expansion struct {
	value           float64
	slope           []float64
	randomSlope     []float64
	curvature       [][]float64
	cross           [][]float64 // by opponent
	randomCurvature []float64
}

// expand computes the expansion at the current effects.
func (s *solver) expand() *expansion {
	n, opponents := len(s.fixed), len(s.random)
	e := &expansion{
		slope: make([]float64, n), randomSlope: make([]float64, opponents),
		curvature: matrix(n, n), cross: matrix(opponents, n), randomCurvature: make([]float64, opponents),
	}
	addPrior := func(effect, deviation float64, slope, curvature *float64) {
		precision := 1 / square(deviation)
		e.value -= precision * square(effect) / 2
		*slope -= precision * effect
		*curvature += precision
	}
	for i, effect := range s.fixed {
		addPrior(effect, s.prior(i), &e.slope[i], &e.curvature[i][i])
	}
	for i, effect := range s.random {
		addPrior(effect, s.deviation, &e.randomSlope[i], &e.randomCurvature[i])
	}
	for i := range s.games {
		s.addGame(e, &s.games[i])
	}
	return e
}

// addGame adds the likelihood of a game's score.
func (s *solver) addGame(e *expansion, o *observation) {
	lead := (s.center - o.rating) * eloUnit
	effects := [...]struct {
		at          int
		coefficient float64
	}{{o.contender, 1}, {s.white(), o.color}, {s.slope(), lead}, {s.speed(o.speed), 1}}
	x := lead - s.random[o.opponent]
	for _, f := range effects {
		x += f.coefficient * s.fixed[f.at]
	}
	expected := 1 / (1 + math.Exp(-x))
	surprise, variance := o.score-expected, expected*(1-expected)
	e.value += o.score*x - max(x, 0) - math.Log1p(math.Exp(-math.Abs(x)))
	e.randomSlope[o.opponent] -= surprise
	e.randomCurvature[o.opponent] += variance
	for _, f := range effects {
		e.slope[f.at] += f.coefficient * surprise
		e.cross[o.opponent][f.at] -= f.coefficient * variance
		for _, h := range effects {
			e.curvature[f.at][h.at] += f.coefficient * h.coefficient * variance
		}
	}
}

// newtonStep returns the step to the maximum of the quadratic expansion. The random
// effects are eliminated first; what remains is the inverse covariance of the fixed ones,
// of whose determinant it returns the logarithm.
func (e *expansion) newtonStep() (fixed, random []float64, covariance [][]float64, logDet float64) {
	n := len(e.slope)
	reduced, slope := matrix(n, n), slices.Clone(e.slope)
	for i := range reduced {
		copy(reduced[i], e.curvature[i])
	}
	for o, cross := range e.cross {
		for i, c := range cross {
			share := c / e.randomCurvature[o]
			slope[i] -= share * e.randomSlope[o]
			for j, d := range cross {
				reduced[i][j] -= share * d
			}
		}
	}
	covariance, logDet = invert(reduced)
	fixed, random = make([]float64, n), slices.Clone(e.randomSlope)
	for i, row := range covariance {
		fixed[i] = dot(row, slope)
	}
	for o, cross := range e.cross {
		random[o] = (random[o] - dot(cross, fixed)) / e.randomCurvature[o]
	}
	return fixed, random, covariance, logDet
}

// invert returns the inverse of a symmetric positive definite matrix, which it destroys,
// and the logarithm of its determinant.
func invert(m [][]float64) (inverse [][]float64, logDet float64) {
	inverse = matrix(len(m), len(m))
	for i := range inverse {
		inverse[i][i] = 1
	}
	for k := range m {
		pivot := m[k][k]
		logDet += math.Log(pivot)
		for j := range m {
			m[k][j] /= pivot
			inverse[k][j] /= pivot
		}
		for i := range m {
			if factor := m[i][k]; i != k {
				for j := range m {
					m[i][j] -= factor * m[k][j]
					inverse[i][j] -= factor * inverse[k][j]
				}
			}
		}
	}
	return inverse, logDet
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
