package match

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Pentanomial counts the pairs of games with the same opening by the engine's points in
// both games: 0, ½, 1, 1½ and 2. The two games of a pair are not independent, since an
// opening may favour one colour, but pairs are; so all confidence intervals are computed
// from pairs.
type Pentanomial [5]int

// Pairs returns the number of pairs.
func (p Pentanomial) Pairs() (n int) {
	for _, count := range p {
		n += count
	}
	return n
}

// moments returns the mean score per game, from 0 to 1, and the variance of a pair's mean
// score, with the given number of extra pairs of each kind. Both are 0 without pairs.
func (p Pentanomial) moments(extra float64) (mean, variance float64) {
	if p.Pairs() == 0 && extra == 0 {
		return 0, 0
	}
	var scores, counts [len(p)]float64
	for i, count := range p {
		scores[i], counts[i] = float64(i)/4, float64(count)+extra
	}
	return stat.PopMeanVariance(scores[:], counts[:])
}

// Elo is an estimate of the engine's strength relative to its opponent.
type Elo struct {
	Difference float64 `json:"difference"`
	Low        float64 `json:"low"`  // lower bound, 95 % confidence
	High       float64 `json:"high"` // upper bound
	LOS        float64 `json:"los"`  // likelihood of superiority
}

// normal95 is half the width of a 95 % confidence interval in standard errors.
const normal95 = 1.959964

// Elo returns the estimated Elo difference, or nil while all pairs have ended alike and
// the error is unknown.
func (p Pentanomial) Elo() *Elo {
	mean, variance := p.moments(0)
	if variance == 0 {
		return nil
	}
	deviation := math.Sqrt(variance / float64(p.Pairs()))
	return &Elo{
		Difference: eloFromScore(mean),
		Low:        eloFromScore(mean - normal95*deviation),
		High:       eloFromScore(mean + normal95*deviation),
		LOS:        distuv.UnitNormal.CDF((mean - 0.5) / deviation),
	}
}

// eloPerLogOdds is the Elo difference of natural log odds of 1.
const eloPerLogOdds = 400 / math.Ln10

// eloLimit limits the differences: larger ones cannot be measured.
const eloLimit = 1200

// eloFromScore returns the logistic Elo difference of a mean score.
func eloFromScore(score float64) float64 {
	if score <= 0 {
		return -eloLimit
	}
	if score >= 1 {
		return eloLimit
	}
	return min(max(-400*math.Log10(1/score-1), -eloLimit), eloLimit)
}

// scoreFromElo returns the expected score at an Elo difference.
func scoreFromElo(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }
