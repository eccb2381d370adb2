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
	var observations []observation
	for _, r := range results {
		observations = append(observations, observation{[]float64{1, math.Log2(r.Factor)}, r.Summary.Pentanomial})
	}
	line, ok := fit(observations, 2)
	if !ok {
		return nil
	}
	start, slope := line.coefficients.AtVec(0), line.coefficients.AtVec(1)
	x := -start / slope // the factor's logarithm, and its derivatives
	_, deviation := line.sum([]float64{-1 / slope, start / (slope * slope)})
	if slope < 0 && deviation > 0 && deviation < maxDeviation {
		return &Parity{
			math.Exp2(x), math.Exp2(x - normal95*deviation), math.Exp2(x + normal95*deviation), -slope * eloPerLogOdds,
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
