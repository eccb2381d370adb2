package stats

import "math"

// observation is a rated game from our point of view; the players and the speed are
// numbers.
type observation struct {
	contender, opponent, speed int
	color                      float64 // 1 as White, -1 as Black
	rating                     float64 // the opponent's
	score                      float64 // 1, 1/2 or 0
}

// model explains the scores of games by Elo's expectation 1/(1+10^(-d/400)), where
//
//	d = strength(contender) ± white + speed - (1 + slope) rating - deviation(opponent)
//
// An opponent's deviation from the rating is the same in all their games: it is a random
// effect, whose standard deviation is estimated too. So games against the same opponent
// are not taken for independent ones, and an opponent who is underrated counts as that.
// The slope is there because uncertain ratings lie too far from their mean. A draw counts
// as half a win and half a loss.
type model struct {
	games                         []observation
	contenders, speeds, opponents int
	center                        float64 // strengths are relative to it
}

// eloUnit is an Elo point in natural units of the logistic curve.
const eloUnit = math.Ln10 / 400

// Standard deviations of the weak priors, which keep estimates from few games finite.
// That of a strength is worth about half a game.
const (
	strengthPrior = 500 * eloUnit // around the opponents' mean rating
	effectPrior   = 100 * eloUnit // of White and of a speed
	slopePrior    = 0.25
)

// The prior of the opponents' deviation is a gamma distribution of shape 2 with this mode.
const deviationMode = 75 * eloUnit

// The range in which the opponents' deviation is searched for.
const minDeviation, maxDeviation = 1 * eloUnit, 500 * eloUnit

// The fixed effects are the contenders' strengths, White, the slope and the speeds, in
// this order.

func (m *model) white() int      { return m.contenders }
func (m *model) slope() int      { return m.contenders + 1 }
func (m *model) speed(s int) int { return m.contenders + 2 + s }
func (m *model) effects() int    { return m.contenders + 2 + m.speeds }

// prior returns the standard deviation of a fixed effect before any game.
func (m *model) prior(effect int) float64 {
	switch {
	case effect < m.contenders:
		return strengthPrior
	case effect == m.slope():
		return slopePrior
	}
	return effectPrior
}

// unit returns the weights of a single fixed effect.
func (m *model) unit(effect int) []float64 {
	weights := make([]float64, m.effects())
	weights[effect] = 1
	return weights
}

// strength returns the weights of a contender's strength at the mean of colours and speeds.
func (m *model) strength(contender int) []float64 {
	weights := m.unit(contender)
	for i := range m.games {
		weights[m.white()] += m.games[i].color / float64(len(m.games))
	}
	for s, share := range m.speedShares() {
		weights[m.speed(s)] = share
	}
	return weights
}

func (m *model) speedShares() []float64 {
	shares := make([]float64, m.speeds)
	for i := range m.games {
		shares[m.games[i].speed] += 1 / float64(len(m.games))
	}
	return shares
}

func (m *model) count(match func(*observation) bool) (n int) {
	for i := range m.games {
		if match(&m.games[i]) {
			n++
		}
	}
	return n
}

// fit is the fitted model: fixed effects with their covariance, in natural units.
type fit struct {
	effects    []float64
	covariance [][]float64
	deviation  float64 // of opponents from their ratings, in Elo
}

// contrast returns a weighted sum of the effects, and its standard error, in Elo.
func (f *fit) contrast(weights []float64) (value, deviation float64) {
	variance := 0.0
	for i, w := range weights {
		value += w * f.effects[i]
		for j, v := range weights {
			variance += w * v * f.covariance[i][j]
		}
	}
	return value / eloUnit, math.Sqrt(variance) / eloUnit
}

func (f *fit) estimate(weights []float64) Estimate { return newEstimate(f.contrast(weights)) }

// fit maximises the likelihood. The opponents' deviation is where the Laplace
// approximation of the likelihood, with all effects integrated out, is highest.
func (m *model) fit() *fit {
	for i := range m.games {
		m.center += m.games[i].rating / float64(len(m.games))
	}
	s := newSolver(m)
	best := goldenSection(math.Log(minDeviation), math.Log(maxDeviation), func(x float64) float64 {
		s.deviation = math.Exp(x)
		_, evidence := s.maximize()
		return evidence
	})
	s.deviation = math.Exp(best)
	covariance, _ := s.maximize()
	return &fit{s.fixed, covariance, s.deviation / eloUnit}
}

// goldenSection returns where a function with one maximum is highest, to within 0.1.
func goldenSection(low, high float64, f func(float64) float64) float64 {
	const ratio, precision = 0.6180339887498949, 0.1
	a, b := high-ratio*(high-low), low+ratio*(high-low)
	fa, fb := f(a), f(b)
	for high-low > precision {
		if fa > fb {
			high, b, fb = b, a, fa
			a = high - ratio*(high-low)
			fa = f(a)
		} else {
			low, a, fa = a, b, fb
			b = low + ratio*(high-low)
			fb = f(b)
		}
	}
	return (low + high) / 2
}
