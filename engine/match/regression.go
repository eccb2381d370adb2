package match

import "math"

// observation is pairs of games in which the log odds of a point are a sum: each
// coefficient times its factor in x.
type observation struct {
	x     []float64
	pairs Pentanomial
}

// regression is coefficients fitted to observations, and their covariance.
type regression struct {
	coefficients []float64
	covariance   matrix
}

// maxIterations of Newton's method are enough for every fit that has an end.
const maxIterations = 100

// fit fits coefficients to observations: the most likely ones. Their covariance follows from
// the variance of the pairs, so that the two games of a pair may depend on each other. ok is
// false if the observations do not determine the coefficients.
func fit(observations []observation, coefficients int) (r regression, ok bool) {
	r.coefficients = make([]float64, coefficients)
	for range maxIterations {
		gradient, information, variance := r.derivatives(observations)
		inverse, ok := information.inverse()
		if !ok {
			return r, false
		}
		step, longest := inverse.of(gradient), 0.0
		for _, s := range step {
			longest = max(longest, math.Abs(s))
		}
		for i, s := range step {
			r.coefficients[i] += s / max(longest, 1) // a longer step may overshoot
		}
		if longest < 1e-9 {
			r.covariance = inverse.times(variance).times(inverse)
			return r, true
		}
	}
	return r, false
}

// derivatives returns the gradient of the log-likelihood of the observations; its
// information, the negative second derivative; and the variance of the gradient.
func (r regression) derivatives(observations []observation) (gradient []float64, information, variance matrix) {
	n := len(r.coefficients)
	gradient, information, variance = make([]float64, n), newMatrix(n), newMatrix(n)
	for _, o := range observations {
		score := 1 / (1 + math.Exp(-dot(r.coefficients, o.x)))
		for i, count := range o.pairs {
			weight, off := float64(count), float64(i)/4-score
			for j, x := range o.x {
				gradient[j] += weight * off * x
				for k, y := range o.x {
					information[j][k] += weight * score * (1 - score) * x * y
					variance[j][k] += weight * off * off * x * y
				}
			}
		}
	}
	return gradient, information, variance
}

// deviation returns the standard error of the sum of the coefficients times weights.
func (r regression) deviation(weights []float64) float64 {
	return math.Sqrt(max(dot(weights, r.covariance.of(weights)), 0))
}

// matrix is a square matrix.
type matrix [][]float64

func newMatrix(n int) matrix {
	m := make(matrix, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// of returns m·v.
func (m matrix) of(v []float64) []float64 {
	product := make([]float64, len(m))
	for i, row := range m {
		product[i] = dot(row, v)
	}
	return product
}

// times returns m·o for a symmetric o.
func (m matrix) times(o matrix) matrix {
	product := make(matrix, len(m))
	for i, row := range m {
		product[i] = o.of(row)
	}
	return product
}

// singular is the part of a diagonal element below which what elimination leaves of it is
// only a rounding error.
const singular = 1e-9

// inverse returns the inverse of a symmetric matrix without negative eigenvalues, by
// Gauss-Jordan elimination in place of a copy; ok is false if there is none.
func (m matrix) inverse() (inverse matrix, ok bool) {
	a := newMatrix(len(m))
	for i := range m {
		copy(a[i], m[i])
	}
	for i := range a {
		pivot := a[i][i]
		if !(pivot > singular*m[i][i]) {
			return nil, false
		}
		a[i][i] = 1
		for j := range a[i] {
			a[i][j] /= pivot
		}
		for k := range a {
			if k == i {
				continue
			}
			factor := a[k][i]
			a[k][i] = 0
			for j := range a[k] {
				a[k][j] -= factor * a[i][j]
			}
		}
	}
	return a, true
}
