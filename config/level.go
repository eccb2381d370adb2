package config

import (
	"fmt"

	"github.com/zhbot/zhbot/engine/human"
)

// Level is a level of play: [Near], [Full], or what [human.ParseLevelChoice] parses. "" is that of
// engine.skill.
type Level string

const (
	// Near is a level near the opponent's strength, above it by the offset.
	Near Level = "near"
	// Full is full strength.
	Full Level = "full"
)

// Choice returns the level that is chosen, whoever the opponent is; ok is false for [Near].
func (l Level) Choice(e *Engine) (c human.LevelChoice, ok bool) {
	switch l {
	case Near:
		return 0, false
	case Full:
		return human.MaxLevel, true
	case "":
		return human.LevelChoice(e.Skill), true
	}
	c, _ = human.ParseLevelChoice(string(l)) // which has been checked
	return c, true
}

// CheckLevel returns an error if a text is no level.
func CheckLevel(text string) error {
	switch Level(text) {
	case Near, Full, "":
		return nil
	}
	if _, err := human.ParseLevelChoice(text); err != nil {
		return fmt.Errorf("%w; %s is a level near the opponent's strength, %s full strength", err, Near, Full)
	}
	return nil
}

// LevelFor returns the level of casual games with people: that of a contender, if it has one
// of its own.
func (c *Config) LevelFor(k *Contender) Level {
	if k != nil && k.Level != nil {
		return *k.Level
	}
	return c.Challenges.Humans.Level
}
