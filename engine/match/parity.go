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
// factor, by logistic regression. The error follows from the variance of the pairs: the
// interval has the factors at which the line does not differ from 0 (Fieller's theorem), since
// its slope is uncertain, too. The result is nil if the results determine no line that falls:
// those of fewer than two factors, or all alike.
func FitParity(results []FactorResult) *Parity {
	var observations []observation
	for _, r := range results {
		observations = append(observations, observation{[]float64{1, math.Log2(r.Factor)}, r.Summary.Pentanomial})
	}
	line, ok := fit(observations, 2)
	if !ok {
		return nil
	}
	start, slope := line.coefficients.AtVec(0), line.coefficients.AtVec(1)
	x, low, high := -start/slope, math.Inf(-1), maxDoublings // logarithms
	// The limits are the roots of ax² + 2bx + c.
	const z2 = normal95 * normal95
	a, b, c := slope*slope-z2*line.covariance.At(1, 1), start*slope-z2*line.covariance.At(0, 1),
		start*start-z2*line.covariance.At(0, 0)
	for _, root := range []float64{math.Sqrt(b*b - a*c), -math.Sqrt(b*b - a*c)} {
		if limit := (root - b) / a; limit < x {
			low = max(low, limit)
		} else if limit > x {
			high = min(high, limit)
		}
	}
	if slope >= 0 || math.Abs(x) > maxDoublings || math.IsInf(low, -1) && high == maxDoublings {
		return nil
	}
	return &Parity{math.Exp2(x), math.Exp2(low), math.Exp2(high), -slope * eloPerLogOdds}
}

// maxDoublings limits what can be measured: a factor of a million, or its inverse. Results that
// set no upper limit have this one, since JSON has no infinity.
const maxDoublings = 20.0

// String returns the factor with its interval.
func (p *Parity) String() string {
	if p == nil {
		return undefined
	}
	high := fmt.Sprintf("%.3g", p.High)
	if p.High == math.Exp2(maxDoublings) {
		high = "no limit"
	}
	return fmt.Sprintf("%.3g [%.3g, %s], %.0f Elo for twice the time", p.Factor, p.Low, high, p.PerDoubling)
}
