package lichesstest

import "math"

// glicko is a rating by Glicko-2, its rating and deviation in points.
type glicko struct{ rating, deviation, volatility float64 }

// gameScore is what a player scored in a game.
type gameScore struct {
	opponent  glicko
	score     float64 // 1, ½ or 0
	advantage float64 // that colour gave the player, in points
}

// Glicko-2 computes with ratings relative to glickoCentre, in units of glickoUnit points.
const (
	glickoCentre = 1500
	glickoUnit   = 173.7178
)

// after returns the rating after the games of a rating period. tau bounds the change of
// the volatility; the deviation grows with the number of periods that have passed.
func (p glicko) after(tau, periods float64, games ...gameScore) glicko {
	precision, gain := 0.0, 0.0 // the inverse of the variance; the score above the expected one
	for _, game := range games {
		weight := glickoWeight(game.opponent.deviation / glickoUnit)
		expected := 1 / (1 + math.Exp(-weight*(p.rating+game.advantage-game.opponent.rating)/glickoUnit))
		precision += weight * weight * expected * (1 - expected)
		gain += weight * (game.score - expected)
	}
	volatility := p.newVolatility(tau, gain/precision, 1/precision)
	deviation := p.deviation / glickoUnit
	deviation = 1 / math.Sqrt(1/(deviation*deviation+periods*volatility*volatility)+precision)
	return glicko{p.rating + glickoUnit*deviation*deviation*gain, deviation * glickoUnit, volatility}
}

// glickoWeight is the weight of a game by the deviation of the opponent.
func glickoWeight(deviation float64) float64 {
	return 1 / math.Sqrt(1+3*deviation*deviation/(math.Pi*math.Pi))
}

// newVolatility solves Glickman's equation for the logarithm of the squared volatility,
// given the estimated improvement and its variance, by regula falsi (Illinois).
func (p glicko) newVolatility(tau, improvement, variance float64) float64 {
	before, squared := 2*math.Log(p.volatility), p.deviation*p.deviation/(glickoUnit*glickoUnit)
	f := func(x float64) float64 {
		sum := squared + variance + math.Exp(x)
		return math.Exp(x)*(improvement*improvement-sum)/(2*sum*sum) - (x-before)/(tau*tau)
	}
	a, b := before, before-tau
	if excess := improvement*improvement - squared - variance; excess > 0 {
		b = math.Log(excess)
	} else {
		for f(b) < 0 {
			b -= tau
		}
	}
	for fa, fb := f(a), f(b); math.Abs(b-a) > 1e-6; {
		c := a + (a-b)*fa/(fb-fa)
		if fc := f(c); fc*fb <= 0 {
			a, fa, b, fb = b, fb, c, fc
		} else {
			fa, b, fb = fa/2, c, fc
		}
	}
	return math.Exp(a / 2)
}
