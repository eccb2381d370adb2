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
func (m *model) fixed() int      { return m.contenders + 2 + m.speeds }

// term is the weight of an effect in a game.
type term struct {
	effect int
	weight float64
}

// terms returns the weights of the effects in a game, the fixed ones first.
func (m *model) terms(o *observation) [fixedTerms + 1]term {
	return [...]term{
		{o.contender, 1}, {m.white(), o.color}, {m.slope(), (m.center - o.rating) * eloUnit}, {m.speed(o.speed), 1},
		{m.fixed() + o.opponent, -1},
	}
}

// fixedTerms is how many fixed effects a game has.
const fixedTerms = 4

// means returns the mean weights of the fixed effects over all games; that of a contender
// or a speed is its share of the games.
func (m *model) means() []float64 {
	means := make([]float64, m.fixed())
	for i := range m.games {
		terms := m.terms(&m.games[i])
		for _, t := range terms[:fixedTerms] {
			means[t.effect] += t.weight / float64(len(m.games))
		}
	}
	return means
}

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

// played returns the number of games that are a share of all.
func (m *model) played(share float64) int { return int(math.Round(share * float64(len(m.games)))) }

// unit returns the weights of a single fixed effect.
func (m *model) unit(effect int) []float64 {
	weights := make([]float64, m.fixed())
	weights[effect] = 1
	return weights
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
	return &fit{s.effects[:m.fixed()], covariance, s.deviation / eloUnit}
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
