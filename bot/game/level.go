package game

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/human"
)

// assignLevel sets the level of play at the beginning of a game, or as it was before a
// restart.
func (g *game) assignLevel() {
	g.level = human.MaxLevel
	switch {
	case g.earlier != nil: // full strength is not recorded
		if c, err := human.ParseLevelChoice(g.earlier.LevelNow); err == nil {
			g.level = min(float64(c), human.MaxLevel)
		}
		g.levelVaried = g.earlier.Game.Level == record.LevelVaried
	case g.hasWishes():
		g.chooseLevel()
		g.opts.Opponents.KeepLevel(g.opponent(), time.Now())
		g.spawn(g.opts.Opponents.Save)
	case len(g.opts.Contenders) == 0 || !g.full.Rated: // rated games are to compare the contenders
		g.level = float64(g.opts.Settings().Engine.Skill)
	}
}

// hasWishes reports whether the opponent may choose the level: a person in a casual game in
// which our own search plays.
func (g *game) hasWishes() bool {
	return !g.full.Rated && isHuman(g.opponent()) && g.program() == ""
}

// chooseLevel sets the level by the settings, and by what the opponent has done and asked for.
func (g *game) chooseLevel() {
	c := g.opts.Settings()
	g.level = g.opts.Opponents.Level(g.opponent(), c.LevelFor(&g.contender.Contender), c, time.Now())
}

// levelTag returns the level for the record.
func (g *game) levelTag() string {
	switch {
	case g.levelVaried:
		return record.LevelVaried
	case g.level >= human.MaxLevel || g.program() != "":
		return ""
	}
	return human.FormatLevel(g.level)
}

// harder is how many rating points !harder and !easier change.
const harder = 100

// changeLevel answers a command of the opponent that changes the level from now on.
func (g *game) changeLevel(name, argument string) string {
	before, now := g.level, time.Now()
	switch { // a change beyond the scale would have to be taken back first
	case name == "harder" && before >= human.MaxLevel, name == "easier" && before <= 0:
	case name == "harder":
		g.opts.Opponents.ShiftLevel(g.opponent(), harder, now)
	case name == "easier":
		g.opts.Opponents.ShiftLevel(g.opponent(), -harder, now)
	default:
		switch {
		case argument == "":
			return g.describeLevel("I play")
		case config.CheckLevel(argument) != nil:
			return fmt.Sprintf("I do not know that level: say a level from 0 to %d, or a rating of %d or more.",
				human.MaxLevel, human.MinRating)
		}
		g.opts.Opponents.RequestLevel(g.opponent(), config.Level(argument), now)
	}
	g.spawn(g.opts.Opponents.Save)
	g.chooseLevel()
	switch {
	case g.level == before && g.level >= human.MaxLevel:
		return "I play at full strength already."
	case g.level == before && g.level <= 0:
		return "I cannot play any weaker."
	case g.level != before && g.board.game.Ply() > 1:
		g.levelVaried = true
	}
	g.track()
	g.log.Info().Str("level", human.FormatLevel(g.level)).Str("command", name).Msg("level changed by the opponent")
	return g.describeLevel("From now on I play")
}

// describeLevel describes the level in a sentence that begins with a text.
func (g *game) describeLevel(text string) string {
	scale := g.opts.Opponents.Scale()
	rating := math.Round(scale.Rating(g.level)/10) * 10
	if g.level >= human.MaxLevel {
		return fmt.Sprintf("%s at full strength.", text)
	}
	text = fmt.Sprintf("%s at level %.1f of %d, about %.0f on Lichess.", text, g.level, human.MaxLevel, rating)
	if slices.Contains(g.chatCommands(), "level") {
		text += " Say !harder, !easier, or !level 1800."
	}
	return text
}

// greeting returns what is said at the beginning of a game: the configured text, and how the
// opponent can change the level, if it is not full strength.
func (g *game) greeting() (lines []string) {
	lines = append(lines, g.opts.Settings().Chat.Greeting)
	if g.hasWishes() && g.level < human.MaxLevel {
		lines = append(lines, g.describeLevel("I play"))
	}
	return lines
}

// pace returns how long a person would take for a move, given the limits of its search, and
// a number from the standard normal distribution; 0 in games that are not played as people do.
func (g *game) pace(l *engine.Limits, normal float64) time.Duration {
	left := *l.Clock(g.us)
	if left == 0 || g.level >= human.MaxLevel || !g.hasWishes() {
		return 0
	}
	return human.Pace(g.board.game, g.trend(2), left, g.full.Clock.Increment, normal)
}
