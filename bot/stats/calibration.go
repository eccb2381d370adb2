package stats

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/rules"
)

// LeveledGames collects casual games of a level of play below full strength with rated
// people, to tie the levels to Lichess's ratings. The zero value is empty and ready to use.
type LeveledGames struct {
	observations
	levels []int                   // of the contenders
	played [human.MaxLevel + 1]int // games by the nearest whole level
}

// Add adds a game, unless it says nothing of a level.
func (l *LeveledGames) Add(g *record.PlayerView) {
	at, ok := g.PlayedLevel()
	if !ok || g.Rated || g.Result == rules.NoResult || irrelevance(g.Summary) != "" ||
		g.Opponent.IsBot() || g.Opponent.Rating == 0 {
		return
	}
	// The fit takes the nearest whole level for a contender. What that differs by, it takes
	// off the opponent's rating.
	whole, guess := int(math.Round(at)), human.GuessedScale()
	contender := slices.Index(l.levels, whole)
	if contender < 0 {
		contender = len(l.levels)
		l.levels = append(l.levels, whole)
	}
	l.add(g, contender, float64(g.Opponent.Rating)-guess.Rating(at)+guess[whole])
	l.played[whole]++
}

// Games returns the number of games.
func (l *LeveledGames) Games() int { return len(l.games) }

// Clone returns a copy.
func (l *LeveledGames) Clone() *LeveledGames {
	c := *l
	c.games, c.provisional, c.levels = slices.Clone(l.games), slices.Clone(l.provisional), slices.Clone(l.levels)
	c.opponents, c.speeds = maps.Clone(l.opponents), maps.Clone(l.speeds)
	return &c
}

// Calibration is the rating on Lichess of each level of play.
type Calibration struct {
	Games  int           `json:"games"` // 0 if the ratings are a guess
	Levels []LevelRating `json:"levels"`
}

// LevelRating is the rating of a level of play.
type LevelRating struct {
	Level int `json:"level"`
	Games int `json:"games"` // at this level, or nearer to it than to another
	Estimate
}

// Scale returns the ratings, as the levels need them.
func (c *Calibration) Scale() (s human.Scale) {
	for _, l := range c.Levels {
		s[l.Level] = l.Elo
	}
	return s
}

// Before any game, the levels' ratings differ from the guess by something common to all, and
// by something that neighbours have in common. These are the standard deviations, and the
// number of levels after which little is common.
const (
	commonPrior   = 250 * eloUnit
	neighborPrior = 120 * eloUnit
	neighborhood  = 3
)

// Calibrate estimates the ratings of the levels by one fit over the games, and where there
// are few, by those of the levels around and the guess.
func (l *LeveledGames) Calibrate() *Calibration {
	common := mat.NewSymDense(human.MaxLevel+1, nil)
	for i := range human.MaxLevel + 1 {
		for j := range i + 1 {
			common.SetSym(i, j, square(commonPrior)+square(neighborPrior)*math.Exp(float64(j-i)/neighborhood))
		}
	}
	precision, _ := invert(common)
	weighted, guess := make([]float64, human.MaxLevel+1), human.GuessedScale()
	if l.Games() > 0 {
		l.addEvidence(precision, weighted, &guess)
	}
	covariance, _ := invert(precision)
	if covariance == nil { // the games are so one-sided that they say nothing
		covariance = common
		clear(weighted)
	}
	var above mat.VecDense // the guess
	above.MulVec(covariance, mat.NewVecDense(len(weighted), weighted))
	c, highest := &Calibration{Games: l.Games()}, 0.0
	for i, played := range l.played {
		highest = max(highest, guess[i]+above.AtVec(i)/eloUnit) // no level is weaker than the one below it
		c.Levels = append(c.Levels, LevelRating{i, played,
			newEstimate(highest, math.Sqrt(covariance.At(i, i))/eloUnit)})
	}
	return c
}

// addEvidence adds what the games say of the levels' differences from the guess: their
// precision, and their values weighted by it.
func (l *LeveledGames) addEvidence(precision *mat.SymDense, weighted []float64, guess *human.Scale) {
	m, f := l.fit(len(l.levels))
	strengths := make([]float64, m.contenders)
	at := func(contender int) []float64 { // its strength at the mean of all else
		weights := m.means()
		clear(weights[:m.contenders])
		weights[contender] = 1
		return weights
	}
	covariance := mat.NewSymDense(m.contenders, nil)
	for i := range m.contenders {
		weights := mat.NewVecDense(len(f.effects), at(i))
		strengths[i] = floats.Dot(at(i), f.effects)
		for j := range i + 1 {
			covariance.SetSym(i, j, mat.Inner(weights, f.covariance, mat.NewVecDense(len(f.effects), at(j))))
		}
	}
	evidence, _ := invert(covariance)
	for i, a := range l.levels {
		for j, b := range l.levels {
			w := evidence.At(i, j)
			weighted[a] += w * strengths[j]
			if i == j {
				w -= 1 / square(strengthPrior) // which is no evidence
			}
			weighted[a] -= w * (guess[b] - m.center) * eloUnit
			if i <= j {
				precision.SetSym(a, b, precision.At(a, b)+w)
			}
		}
	}
}
