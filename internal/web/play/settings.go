package play

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// Settings are the settings of one game.
type Settings struct {
	Start rules.Position
	Side  rules.Color // of the person
	Level int         // of the engine, from 0 to [engine.MaxSkill]
	Clock Clock
}

// check returns an error unless a game can be played with the settings.
func (s *Settings) check() error {
	if s.Level < 0 || s.Level > engine.MaxSkill {
		return fmt.Errorf("level %d: want a number from 0 to %d", s.Level, engine.MaxSkill)
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

// Clock is a time control. The zero value is none.
type Clock struct {
	Initial   time.Duration
	Increment time.Duration // after each move
}

// The longest times of a clock, as on Lichess.
const (
	maxInitial   = 180 * time.Minute
	maxIncrement = 180 * time.Second
)

var errClock = errors.New(`want minutes+seconds, such as 5+3, at most 180+180, or "none"`)

// ParseClock parses minutes and seconds, such as "5+3" or "0.5+0", or "none".
func ParseClock(text string) (Clock, error) {
	if text == "none" {
		return Clock{}, nil
	}
	initial, increment, ok := strings.Cut(text, "+")
	minutes, err1 := strconv.ParseFloat(initial, 64)
	seconds, err2 := strconv.ParseFloat(increment, 64)
	if !ok || err1 != nil || err2 != nil || !(minutes >= 0 && minutes <= maxInitial.Minutes() && seconds >= 0 && seconds <= maxIncrement.Seconds()) {
		return Clock{}, fmt.Errorf("clock %q: %w", text, errClock)
	}
	c := Clock{time.Duration(minutes * float64(time.Minute)), time.Duration(seconds * float64(time.Second))}
	if !c.isSet() {
		return Clock{}, fmt.Errorf("clock %q: %w", text, errClock)
	}
	return c, nil
}

// String returns what [ParseClock] parses.
func (c Clock) String() string {
	if !c.isSet() {
		return "none"
	}
	return fmt.Sprintf("%g+%g", c.Initial.Minutes(), c.Increment.Seconds())
}

func (c Clock) isSet() bool { return c != Clock{} }

// atStart returns the time that each side begins with: without an initial time it is
// the increment, as on Lichess.
func (c Clock) atStart() time.Duration {
	if c.Initial == 0 {
		return c.Increment
	}
	return c.Initial
}
