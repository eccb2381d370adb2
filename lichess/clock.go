package lichess

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Clock is the clock of a game: each side has Initial at first and gains Increment with
// each of its moves. The zero value is no clock.
//
// Its notation is that of Lichess: minutes and seconds, so that 3+2 is three minutes and
// two seconds.
type Clock struct{ Initial, Increment time.Duration }

// The longest clock for which Lichess has a challenge.
const (
	MaxInitial   = 3 * time.Hour
	MaxIncrement = time.Minute
)

// longestIncrement is the longest increment of a game between people.
const longestIncrement = 3 * time.Minute

// How Lichess shows fractions of a minute.
var (
	fractionSigns = map[time.Duration]string{15 * time.Second: "¼", 30 * time.Second: "½", 45 * time.Second: "¾"}
	decimals      = strings.NewReplacer("¼", ".25", "½", ".5", "¾", ".75")
)

// clockText matches a clock: its initial time, the unit of that, and the increment.
var clockText = regexp.MustCompile(`^(\d{1,6}|\d{0,6}\.\d{1,20})([hms]?)\+(\d{1,6}(?:\.\d{1,20})?)s?$`)

// ParseClock parses a clock in Lichess's notation, such as "3+2", "½+0" or "0.5+0", or
// one with units, such as "15s+0.2s", "3m+2s" or "1h+0s". An initial time of an hour or more needs
// its unit, because 180+2 is easily meant as seconds.
func ParseClock(text string) (Clock, error) {
	m := clockText.FindStringSubmatch(decimals.Replace(text))
	if m == nil {
		return Clock{}, fmt.Errorf("%q is not a clock; want minutes+seconds such as 3+2, or units such as 15s+0.2s",
			excerpt(text))
	}
	unit := map[string]time.Duration{"": time.Minute, "m": time.Minute, "s": time.Second, "h": time.Hour}[m[2]]
	c := Clock{times(m[1], unit), times(m[3], time.Second)}
	switch {
	case c == Clock{}:
		return Clock{}, fmt.Errorf("%s has no time", text)
	case m[2] == "" && c.Initial >= time.Hour:
		seconds := Clock{c.Initial / 60, c.Increment}
		if c.Initial > MaxInitial {
			return Clock{}, fmt.Errorf("%s is %v minutes, which no clock of Lichess has; write %s for %[2]v seconds",
				text, c.Initial.Minutes(), seconds)
		}
		return Clock{}, fmt.Errorf("%s needs a unit; write %s for %v seconds, or %s for %[3]v minutes",
			text, seconds, c.Initial.Minutes(), c)
	case c.Initial > MaxInitial || c.Increment > longestIncrement:
		return Clock{}, fmt.Errorf("%s is longer than any clock of Lichess, %s",
			text, Clock{MaxInitial, longestIncrement})
	}
	return c, nil
}

// IsZero reports whether there is no clock.
func (c Clock) IsZero() bool { return c == Clock{} }

// times multiplies a unit by a decimal number of at most six digits before the point.
func times(number string, unit time.Duration) time.Duration {
	n, _ := strconv.ParseFloat(number, 64) // clockText matches numbers only
	return time.Duration(n*float64(unit) + 0.5)
}

// ParseChallengeClock parses the clock of a challenge to send, which Lichess must allow.
func ParseChallengeClock(text string, rated bool) (Clock, error) {
	c, err := ParseClock(text)
	if err != nil {
		return Clock{}, err
	}
	return c, c.Validate(rated)
}

// UnmarshalText implements [encoding.TextUnmarshaler], as [ParseClock].
func (c *Clock) UnmarshalText(text []byte) (err error) {
	*c, err = ParseClock(string(text))
	return err
}

// String returns what [ParseClock] parses: without units if Lichess shows the initial time so
// and it is less than an hour. It returns "no clock" for the zero value.
func (c Clock) String() string {
	increment := decimal(c.Increment.Seconds())
	switch {
	case c == Clock{}:
		return "no clock"
	case fractionSigns[c.Initial] != "":
		return fractionSigns[c.Initial] + "+" + increment
	case c.Initial%(30*time.Second) == 0 && c.Initial < time.Hour:
		return decimal(c.Initial.Minutes()) + "+" + increment
	case c.Initial%time.Minute == 0:
		return decimal(c.Initial.Minutes()) + "m+" + increment + "s"
	}
	return decimal(c.Initial.Seconds()) + "s+" + increment + "s"
}

// decimal formats a number without an exponent.
func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// Validate returns an error unless a bot may challenge and be challenged with the clock.
func (c Clock) Validate(rated bool) error {
	short := c.Initial == 0 || c.Initial == 90*time.Second || fractionSigns[c.Initial] != ""
	switch {
	case !short && (c.Initial < 0 || c.Initial > MaxInitial || c.Initial%time.Minute != 0):
		return fmt.Errorf("no clock of Lichess begins with %ss; want 0, 15, 30, 45 or 90 seconds, or whole minutes "+
			"up to %v", decimal(c.Initial.Seconds()), MaxInitial.Minutes())
	case c.Increment < 0 || c.Increment > MaxIncrement || c.Increment%time.Second != 0:
		return fmt.Errorf("no clock of Lichess has an increment of %ss; want whole seconds up to %v",
			decimal(c.Increment.Seconds()), MaxIncrement.Seconds())
	case c == Clock{}:
		return errors.New("no clock")
	case c.Speed() == UltraBullet:
		return fmt.Errorf("%s is ultraBullet, which Lichess does not allow bots", c)
	case rated && c.Initial == 0 && c.Increment < 2*time.Second:
		return fmt.Errorf("%s is never rated on Lichess; make it casual", c)
	}
	return nil
}

// Estimate returns Lichess's estimate of the time that a side needs for a game.
func (c Clock) Estimate() time.Duration { return c.Initial + 40*c.Increment }

// Speed returns Lichess's class of the clock, by its estimate: [Correspondence] without one.
func (c Clock) Speed() Speed {
	switch estimate := c.Estimate(); {
	case c == Clock{}:
		return Correspondence
	case estimate < 30*time.Second:
		return UltraBullet
	case estimate < 3*time.Minute:
		return Bullet
	case estimate < 8*time.Minute:
		return Blitz
	case estimate < 25*time.Minute:
		return Rapid
	}
	return Classical
}
