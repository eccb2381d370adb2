package match

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// observation is pairs of games in which the log odds of a point are a sum: each
// coefficient times its factor in x.
type observation struct {
	x     []float64
	pairs Pentanomial
}

// regression is coefficients fitted to observations, and their covariance.
type regression struct {
	coefficients *mat.VecDense
	covariance   mat.Dense
}

// maxIterations of Newton's method are enough for every fit that has an end.
const maxIterations = 100

// maxCondition is the condition number from which the information has no inverse but for
// rounding errors.
const maxCondition = 1e9

// fit fits coefficients to observations: the most likely ones. Their covariance follows from
// the variance of the pairs, so that the two games of a pair may depend on each other. ok is
// false if the observations do not determine the coefficients.
func fit(observations []observation, coefficients int) (r regression, ok bool) {
	r.coefficients = mat.NewVecDense(coefficients, nil)
	for range maxIterations {
		gradient, information, variance := r.derivatives(observations)
		var decomposed mat.Cholesky
		var inverse mat.SymDense
		if !decomposed.Factorize(information) || decomposed.Cond() > maxCondition ||
			decomposed.InverseTo(&inverse) != nil {
			return r, false
		}
		var step mat.VecDense
		step.MulVec(&inverse, gradient)
		longest := mat.Norm(&step, math.Inf(1))
		r.coefficients.AddScaledVec(r.coefficients, 1/max(longest, 1), &step) // a longer step may overshoot
		if longest < 1e-9 {
			r.covariance.Product(&inverse, variance, &inverse)
			return r, true
		}
	}
	return r, false
}

// derivatives returns the gradient of the log-likelihood of the observations; its
// information, the negative second derivative; and the variance of the gradient.
func (r *regression) derivatives(observations []observation) (
	gradient *mat.VecDense, information, variance *mat.SymDense) {
	n := r.coefficients.Len()
	gradient, information, variance = mat.NewVecDense(n, nil), mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
	for _, o := range observations {
		x := mat.NewVecDense(n, o.x)
		score := 1 / (1 + math.Exp(-mat.Dot(r.coefficients, x)))
		for i, count := range o.pairs {
			weight, off := float64(count), float64(i)/4-score
			gradient.AddScaledVec(gradient, weight*off, x)
			information.SymRankOne(information, weight*score*(1-score), x)
			variance.SymRankOne(variance, weight*off*off, x)
		}
	}
	return gradient, information, variance
}

// sum returns the sum of the coefficients times weights, and its standard error.
func (r *regression) sum(weights []float64) (sum, deviation float64) {
	w := mat.NewVecDense(len(weights), weights)
	return mat.Dot(r.coefficients, w), math.Sqrt(max(mat.Inner(w, &r.covariance, w), 0))
}
