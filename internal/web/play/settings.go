package play

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// Settings are the settings of one game.
type Settings struct {
	Start rules.Position
	Side  rules.Color       // of the person
	Level human.LevelChoice // of the engine
	Clock lichess.Clock
}

// Check returns an error unless a game can be played with the settings.
func (s *Settings) Check() error {
	if err := s.Level.Check(); err != nil {
		return fmt.Errorf("level %w", err)
	}
	if o := rules.NewGame(s.Start).Outcome(rules.Threefold); o.Over() {
		return fmt.Errorf("the game is over in this position: %s", o.Termination)
	}
	return nil
}

// ParseSide parses "white", "black", or "random", which is one of the two.
func ParseSide(text string) (rules.Color, error) {
	switch text {
	case "white":
		return rules.White, nil
	case "black":
		return rules.Black, nil
	case "random":
		return rules.Color(rand.IntN(2)), nil
	}
	return rules.White, fmt.Errorf("side %q: want white, black or random", text)
}

// ParseClock parses a clock in Lichess's notation, such as "5+3", or "none".
func ParseClock(text string) (lichess.Clock, error) {
	if text == noClock {
		return lichess.Clock{}, nil
	}
	c, err := lichess.ParseClock(text)
	if err != nil {
		return c, fmt.Errorf("clock: %w; %q is no clock", err, noClock)
	}
	return c, nil
}

// noClock is the notation of no clock.
const noClock = "none"

// formatClock returns what [ParseClock] parses.
func formatClock(c lichess.Clock) string {
	if c.IsZero() {
		return noClock
	}
	return c.String()
}

// timeAtStart returns the time that each side begins with: without an initial time it is
// the increment, as on Lichess.
func timeAtStart(c lichess.Clock) time.Duration { return cmp.Or(c.Initial, c.Increment) }
