package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// observation is a rated game from our point of view; the players and the speed are
// numbers.
type observation struct {
	contender, opponent, speed int
	began                      int64   // Unix time
	color                      float64 // 1 as White, -1 as Black
	pool                       float64 // 1/2 against a bot, -1/2 against a person
	rating                     float64 // the opponent's
	score                      float64 // 1, 1/2 or 0
}

// week returns the number of the week in which the game began.
func (o *observation) week() int64 { return o.began / (7 * 24 * 3600) }

// model explains the scores of games by Elo's expectation 1/(1+10^(-d/400)), where
//
//	d = strength(contender) ± white + speed + drift(week) - (1 + slope) rating ± pool - deviation(opponent)
//
// An opponent's deviation from the rating is the same in all their games: it is a random
// effect, whose standard deviation is estimated too. So games against the same opponent
// are not taken for independent ones, and an opponent who is underrated counts as that.
// While a rating is provisional it has a deviation of its own, from a wider distribution.
// The slope is there because uncertain ratings lie too far from their mean, and pool
// because ratings from games against people and against bots are two scales. The drift is a
// random walk. A draw counts as half a win and half a loss.
type model struct {
	games               []observation
	contenders, speeds  int
	provisional         []bool // by opponent
	center              float64
	firstWeek           int64
	periodLength, weeks int64 // of the drift's periods in weeks, and of all games
}

// eloUnit is an Elo point in natural units of the logistic curve.
const eloUnit = math.Ln10 / 400

// Standard deviations of the weak priors, which keep estimates from few games finite.
// That of a strength is worth about half a game.
const (
	strengthPrior = 500 * eloUnit // around the opponents' mean rating
	whitePrior    = 40 * eloUnit  // around whiteMean
	poolPrior     = 300 * eloUnit
	effectPrior   = 100 * eloUnit // of a speed, and of the first period
	slopePrior    = 0.25
	driftPrior    = 10 * eloUnit // of the change from one week to the next
)

// whiteMean is half of White's advantage, as Lichess's ratings assume it in crazyhouse.
const whiteMean = 10.15 * eloUnit

// The prior of the opponents' deviation is a gamma distribution of shape 2 with this mode.
const deviationMode = 75 * eloUnit

// provisionalDeviation is what a provisional rating adds to the deviation: some such
// ratings are the first guess of Lichess, some are about to be settled.
const provisionalDeviation = 150 * eloUnit

// The range in which the opponents' deviation is searched for.
const minDeviation, maxDeviation = 1 * eloUnit, 500 * eloUnit

// maxPeriods bounds the periods of the drift, and with them the cost of a fit: a period is
// a week, or longer if there are more weeks.
const maxPeriods = 52

// newModel returns the model of some games of contenders.
func newModel(r *RatedGames) *model {
	m := &model{games: r.games, contenders: len(r.contenders), speeds: len(r.speeds), provisional: r.provisional}
	m.firstWeek = r.games[0].week()
	last := m.firstWeek
	for i := range m.games {
		m.center += m.games[i].rating / float64(len(m.games))
		m.firstWeek, last = min(m.firstWeek, m.games[i].week()), max(last, m.games[i].week())
	}
	m.weeks = last - m.firstWeek + 1
	m.periodLength = (m.weeks + maxPeriods - 1) / maxPeriods
	return m
}

// The fixed effects are the contenders' strengths, White, the slope, the pool, the speeds
// and the periods of the drift, in this order.

func (m *model) white() int       { return m.contenders }
func (m *model) slope() int       { return m.contenders + 1 }
func (m *model) pool() int        { return m.contenders + 2 }
func (m *model) speed(s int) int  { return m.contenders + 3 + s }
func (m *model) period(p int) int { return m.contenders + 3 + m.speeds + p }
func (m *model) periods() int     { return int((m.weeks-1)/m.periodLength) + 1 }
func (m *model) fixed() int       { return m.period(m.periods()) }

// term is the weight of an effect in a game.
type term struct {
	effect int
	weight float64
}

// fixedTerms is how many fixed effects a game has.
const fixedTerms = 6

// gameTerms are the weights of the effects in a game, in the order of the effects, of which
// that of the opponent is the last.
type gameTerms [fixedTerms + 1]term

// terms returns the weights of the effects in a game.
func (m *model) terms(o *observation) gameTerms {
	return gameTerms{
		{o.contender, 1}, {m.white(), o.color}, {m.slope(), (m.center - o.rating) * eloUnit}, {m.pool(), -o.pool},
		{m.speed(o.speed), 1}, {m.period(int((o.week() - m.firstWeek) / m.periodLength)), 1}, {m.fixed() +
			o.opponent, -1},
	}
}

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

// prior returns the mean and the standard deviation of a fixed effect before any game. That
// of a later period is the period before it.
func (m *model) prior(effect int) (mean, deviation float64) {
	switch {
	case effect < m.contenders:
		return 0, strengthPrior
	case effect == m.white():
		return whiteMean, whitePrior
	case effect == m.slope():
		return 0, slopePrior
	case effect == m.pool():
		return 0, poolPrior
	case effect > m.period(0):
		return 0, math.Inf(1)
	}
	return 0, effectPrior
}

// played returns the number of games that are a share of all.
func (m *model) played(share float64) int { return int(math.Round(share * float64(len(m.games)))) }

// weights returns the weights of fixed effects: 1 of the first, and -1 of the others.
func (m *model) weights(plus int, minus ...int) []float64 {
	weights := make([]float64, m.fixed())
	weights[plus] = 1
	for _, i := range minus {
		weights[i] = -1
	}
	return weights
}

// fit is the fitted model: fixed effects with their covariance, in natural units.
type fit struct {
	effects    []float64
	covariance *mat.SymDense
	deviation  float64 // of opponents from their ratings, in Elo
}

// contrast returns a weighted sum of the effects, and its standard error, in Elo.
func (f *fit) contrast(weights []float64) (value, deviation float64) {
	w := mat.NewVecDense(len(weights), weights)
	return floats.Dot(weights, f.effects) / eloUnit, math.Sqrt(mat.Inner(w, f.covariance, w)) / eloUnit
}

func (f *fit) estimate(weights []float64) Estimate { return newEstimate(f.contrast(weights)) }

// The tolerances of a fit, in the logarithm of the density: an exact one, and one that is
// cheap after a few more games.
const exact, rough = 1e-4, 0.5

// refitGrowth is by how much the games grow until the opponents' deviation is estimated
// again, between refitRange times less and more: it changes slowly.
const refitGrowth, refitRange = 1.4, 2

// fit maximises the likelihood of the first n games, from where the last call ended. The
// opponents' deviation is where the Laplace approximation of the likelihood, with all
// effects integrated out, is highest.
func (s *solver) fit(n int, tolerance float64) *fit {
	s.count(n)
	if float64(n) >= refitGrowth*float64(s.refitted) {
		low, high := minDeviation, maxDeviation
		if s.refitted > 0 {
			low, high = max(low, s.deviation/refitRange), min(high, s.deviation*refitRange)
		}
		s.refitted = n
		s.deviation = math.Exp(goldenSection(math.Log(low), math.Log(high), func(x float64) float64 {
			s.deviation = math.Exp(x)
			return s.maximize(tolerance).evidence
		}))
	}
	found := s.maximize(tolerance)
	return &fit{found.effects[:s.fixed()], found.covariance, s.deviation / eloUnit}
}

// deviationAt returns the standard error that a contrast would have at a value, in Elo, with
// the other effects as they are.
func (s *solver) deviationAt(value float64, weights []float64) float64 {
	effects, likelihood := s.effects, s.likelihood
	defer func() { s.effects, s.likelihood = effects, likelihood }()
	fixed := effects[:len(weights)]
	shift := value*eloUnit - floats.Dot(weights, fixed)
	moved := slices.Clone(effects)
	floats.AddScaled(moved[:len(weights)], shift/floats.Dot(weights, weights), weights)
	s.moveTo(moved)
	_, covariance, _ := s.posterior().newtonStep()
	_, deviation := (&fit{effects: fixed, covariance: covariance}).contrast(weights)
	return deviation
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
