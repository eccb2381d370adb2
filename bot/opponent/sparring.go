package opponent

import (
	"math"
	"slices"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/lichess"
)

// A person's strength is estimated from the rating shown, and from the results of the casual
// games below full strength, as Elo's formula expects them: each moves the estimate the less
// the surer it is, and never by much.
const (
	establishedDeviation = 200 // of the strength from an established rating
	provisionalDeviation = 400 // of the strength of a player with a provisional rating
	gameDrift            = 10  // by which a person's strength changes from game to game
	maxStep              = 80  // by which a result moves the estimate; more while the rating says little
	maxStepShare         = 0.4 // of the deviation
	fewestSparringPlies  = 10  // of a game that counts
)

// eloUnit is an Elo point in natural units of the logistic curve.
const eloUnit = math.Ln10 / 400

// estimate is a person's strength on Lichess's scale.
type estimate struct{ strength, deviation float64 }

// newEstimate returns what the rating shown says. While it is provisional, the strength may
// be anywhere: the estimate begins in the middle of the scale.
func newEstimate(p *lichess.Player, scale *human.Scale) estimate {
	if p.Rating == 0 || p.Provisional {
		return estimate{scale.Rating(human.MaxLevel / 2), provisionalDeviation}
	}
	return estimate{float64(p.Rating), establishedDeviation}
}

// add adds the person's score in a game against a rating.
func (e *estimate) add(rating, score float64) {
	variance := e.deviation*e.deviation + gameDrift*gameDrift
	expected := 1 / (1 + math.Exp((rating-e.strength)*eloUnit))
	information := expected * (1 - expected) * eloUnit * eloUnit
	after := 1 / (1/variance + information)
	step := after * eloUnit * (score - expected)
	part := 1.0
	if most := max(maxStep, maxStepShare*e.deviation); math.Abs(step) > most {
		part = most / math.Abs(step)
	}
	e.strength += part * step
	e.deviation = math.Sqrt(variance + part*(after-variance))
}

// strength estimates how strong a person is.
func (m *Memory) strength(p *lichess.Player) float64 {
	scale := m.Scale()
	e := newEstimate(p, &scale)
	for _, g := range slices.Backward(m.past(ID(p), time.Time{})) {
		if g.sparring {
			e.add(scale.Rating(g.level), 1-g.result.Points(g.us))
		}
	}
	return e.strength
}

// Level returns the level of play in a casual game with a person, by the settings and the
// person's own wish.
func (m *Memory) Level(p *lichess.Player, setting config.Level, c *config.Config, now time.Time) float64 {
	wish, scale := m.wish(ID(p), now), m.Scale()
	if wish.Level != "" {
		setting = config.Level(wish.Level)
	}
	at := scale.Level(m.strength(p) + float64(c.Challenges.Humans.LevelOffset))
	if choice, ok := setting.Choice(&c.Engine); ok {
		at = choice.Level(&scale)
	}
	if wish.Shift != 0 {
		at = scale.Level(scale.Rating(at) + float64(wish.Shift))
	}
	return at
}

// wishPeriod is how long a wish lasts after it was made, or after a game.
const wishPeriod = 12 * time.Hour

// wish returns what a person has asked for.
func (m *Memory) wish(id string, now time.Time) (w record.LevelWish) {
	m.state.View(func(s *record.State) {
		if o := s.Opponents[id]; o != nil && o.Wish != nil && lasts(o.Wish.Until, now, wishPeriod) {
			w = *o.Wish
		}
	})
	return w
}

// RequestLevel remembers that a person has asked for a level of play, for the games of a series.
// This and the next two do not wait for the disk; see [Memory.Save].
func (m *Memory) RequestLevel(p *lichess.Player, to config.Level, now time.Time) {
	m.setWish(ID(p), record.LevelWish{Level: string(to), Until: now.Add(wishPeriod)})
}

// ShiftLevel remembers that a person has asked to be played harder by some rating points.
func (m *Memory) ShiftLevel(p *lichess.Player, by int, now time.Time) {
	w := m.wish(ID(p), now)
	w.Shift, w.Until = w.Shift+by, now.Add(wishPeriod)
	m.setWish(ID(p), w)
}

// KeepLevel has a wish last for another game.
func (m *Memory) KeepLevel(p *lichess.Player, now time.Time) {
	if w := m.wish(ID(p), now); !w.Until.IsZero() {
		w.Until = now.Add(wishPeriod)
		m.setWish(ID(p), w)
	}
}

func (m *Memory) setWish(id string, w record.LevelWish) {
	m.state.Change(func(s *record.State) { s.Opponent(id).Wish = &w })
}

// Save writes what people have asked for to the state file.
func (m *Memory) Save() { m.update(func(*record.State) {}) }

// Scale returns the ratings of the levels of play, by the games so far.
func (m *Memory) Scale() human.Scale {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.leveled.Scale()
}
