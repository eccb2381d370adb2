package stats

import (
	"math"
	"strings"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/rules"
)

// Before any game, the levels' ratings differ from the guess by something common to all, and
// by something that neighbours have in common. These are the standard deviations in Elo, and the
// number of levels after which little is common.
const (
	commonPrior   = 250
	neighborPrior = 120
	neighborhood  = 3
)

// The standard deviations in Elo of a person's strength from an established rating, and of what a
// provisional one adds.
const (
	personDeviation      = 100
	provisionalPersonAdd = 300
)

// LeveledGames ties the levels of play to Lichess's ratings, by casual games of a level below full
// strength with rated people: each moves the ratings of its level and of the levels around.
type LeveledGames struct {
	ratings    human.Scale
	covariance [human.MaxLevel + 1][human.MaxLevel + 1]float64
	played     [human.MaxLevel + 1]int // games by the nearest whole level
	met        map[string]int          // games by person
}

// NewLeveledGames returns the guess, without games.
func NewLeveledGames() *LeveledGames {
	l := &LeveledGames{ratings: human.GuessedScale(), met: map[string]int{}}
	for i := range l.covariance {
		for j := range l.covariance[i] {
			l.covariance[i][j] = square(commonPrior) +
				square(neighborPrior)*math.Exp(-math.Abs(float64(i-j))/neighborhood)
		}
	}
	return l
}

// Add adds a game, unless it says nothing of a level.
func (l *LeveledGames) Add(g *record.PlayerView) {
	at, ok := g.PlayedLevel()
	if !ok || g.Rated || g.Result == rules.NoResult || irrelevance(g.Summary) != "" ||
		g.Opponent.IsBot() || g.Opponent.Rating == 0 {
		return
	}
	whole, guess := int(math.Round(at)), human.GuessedScale()
	lead := l.ratings[whole] + guess.Rating(at) - guess[whole] - float64(g.Opponent.Rating)
	expected := 1 / (1 + math.Exp(-lead*eloUnit))
	noise, deviation := 1/(expected*(1-expected)*square(eloUnit)), square(personDeviation)
	if g.Opponent.Provisional {
		deviation += square(provisionalPersonAdd)
	}
	// However many games there are with a person, they say no more of the level than the rating
	// says of the person.
	evidence := func(games int) float64 { return float64(games) / (float64(games)*deviation + noise) }
	name := strings.ToLower(g.Opponent.Name)
	l.met[name]++
	added := evidence(l.met[name]) - evidence(l.met[name]-1)
	before := l.covariance[whole]
	variance := before[whole]
	after := 1 / (1/variance + added)
	step := after * added * noise * eloUnit * (g.Result.Points(g.Color) - expected)
	for i, a := range before {
		l.ratings[i] += a / variance * step
		for j, b := range before {
			l.covariance[i][j] -= a * b / square(variance) * (variance - after)
		}
	}
	l.played[whole]++
}

// fewestCalibrated is how many games it takes to replace the guess, so that a few people with
// wrong ratings do not move the levels.
const fewestCalibrated = 100

// Scale returns the ratings of the levels.
func (l *LeveledGames) Scale() (s human.Scale) {
	c := l.calibrate()
	if c.Games < fewestCalibrated {
		return human.GuessedScale()
	}
	for i, level := range c.Levels {
		s[i] = level.Elo
	}
	return s
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

// calibrate returns the ratings by the games so far.
func (l *LeveledGames) calibrate() *Calibration {
	c, highest := new(Calibration), 0.0
	for i, played := range l.played {
		highest = max(highest, l.ratings[i]) // no level is weaker than the one below it
		c.Games += played
		c.Levels = append(c.Levels, LevelRating{i, played, newEstimate(highest, math.Sqrt(l.covariance[i][i]))})
	}
	return c
}
