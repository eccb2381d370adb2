package match

import (
	"fmt"
	"math"
)

// FactorResult is the result of a match in which the opponent had Factor times the engine's
// time.
type FactorResult struct {
	Factor  float64 `json:"factor"`
	Summary Summary `json:"summary"`
}

// Parity is the factor of time at which two engines are equally strong, with a 95 %
// confidence interval.
type Parity struct {
	Factor      float64 `json:"factor"`
	Low         float64 `json:"low"`
	High        float64 `json:"high"`
	PerDoubling float64 `json:"elo_per_doubling"` // that the opponent gains by twice the time
}

// FitParity fits a line to the results: the Elo difference over the binary logarithm of the
// factor, by logistic regression. The error follows from the variance of the pairs by the
// delta method. The result is nil if the results determine no line that falls: those of
// fewer than two factors, or all alike.
func FitParity(results []FactorResult) *Parity {
	var line logistic
	for range 50 { // Newton's method
		gradient, information, _ := line.derivatives(results)
		step := information.inverse().times(gradient)
		line.start, line.slope = line.start+step[0], line.slope+step[1]
		if math.Abs(step[0])+math.Abs(step[1]) < 1e-9 {
			break
		}
	}
	_, information, variance := line.derivatives(results)
	// of the factor's logarithm x = -start/slope
	slopes := information.inverse().times([2]float64{-1 / line.slope, line.start / (line.slope * line.slope)})
	v := variance.times(slopes)
	deviation := math.Sqrt(slopes[0]*v[0] + slopes[1]*v[1])
	if x := -line.start / line.slope; line.slope < 0 && deviation > 0 && deviation < maxDeviation {
		return &Parity{
			math.Exp2(x), math.Exp2(x - normal95*deviation), math.Exp2(x + normal95*deviation), -line.slope * 400 / math.Ln10,
		}
	}
	return nil
}

// maxDeviation is the greatest standard error of a result, in doublings.
const maxDeviation = 20

// String returns the factor with its interval.
func (p *Parity) String() string {
	if p == nil {
		return undefined
	}
	return fmt.Sprintf("%.3g [%.3g, %.3g], %.0f Elo for twice the time", p.Factor, p.Low, p.High, p.PerDoubling)
}

// logistic is the line of the log odds of a point over the logarithm of the factor.
type logistic struct{ start, slope float64 }

// derivatives returns the gradient of the results' log-likelihood, per pair; its
// information, the negative second derivative; and the variance of the gradient.
func (l logistic) derivatives(results []FactorResult) (gradient [2]float64, information, variance symmetric) {
	for _, r := range results {
		x := math.Log2(r.Factor)
		score := 1 / (1 + math.Exp(-l.start-l.slope*x))
		for i, count := range r.Summary.Pentanomial {
			n, off := float64(count), float64(i)/4-score
			gradient[0] += n * off
			gradient[1] += n * off * x
			information.add(n*score*(1-score), x)
			variance.add(n*off*off, x)
		}
	}
	return gradient, information, variance
}

// symmetric is a symmetric matrix: its diagonal, and the element beside it.
type symmetric struct{ a, d, b float64 }

// add adds weight times the square of the vector (1, x).
func (m *symmetric) add(weight, x float64) {
	m.a, m.b, m.d = m.a+weight, m.b+weight*x, m.d+weight*x*x
}

func (m symmetric) times(v [2]float64) [2]float64 {
	return [2]float64{m.a*v[0] + m.b*v[1], m.b*v[0] + m.d*v[1]}
}

func (m symmetric) inverse() symmetric {
	det := m.a*m.d - m.b*m.b
	return symmetric{m.d / det, m.a / det, -m.b / det}
}
