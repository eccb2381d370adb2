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

// FitParity fits a line to the results: the log odds of the score over the binary logarithm of
// the factor, by least squares weighted by the variance of the pairs. The interval has the
// factors at which the line does not differ from 0 (Fieller's theorem), since its slope is
// uncertain, too. A match whose pairs have all ended alike does not count. The result is nil if
// the others determine no line that falls, as those of fewer than two factors.
func FitParity(results []FactorResult) *Parity {
	var w, wx, wy, wxx, wxy float64 // sums
	for _, r := range results {
		mean, variance := r.Summary.Pentanomial.moments(0)
		if variance == 0 {
			continue
		}
		x, y, slope := math.Log2(r.Factor), math.Log(mean/(1-mean)), mean*(1-mean)
		weight := slope * slope * float64(r.Summary.Pentanomial.Pairs()) / variance
		w, wx, wy, wxx, wxy = w+weight, wx+weight*x, wy+weight*y, wxx+weight*x*x, wxy+weight*x*y
	}
	d := w*wxx - wx*wx
	if d <= 1e-9*w*wxx { // one factor
		return nil
	}
	start, slope := (wxx*wy-wx*wxy)/d, (w*wxy-wx*wy)/d
	x, low, high := -start/slope, math.Inf(-1), maxDoublings // logarithms
	// The limits are the roots of ax² + 2bx + c.
	const z2 = normal95 * normal95
	a, b, c := slope*slope-z2*w/d, start*slope+z2*wx/d, start*start-z2*wxx/d
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
