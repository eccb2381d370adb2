package pgn

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// TimeControl is the value of a TimeControl tag: each side has Initial at first and gains
// Increment with each of its moves. The zero value is no clock.
//
// Its notation is in seconds, such as 180+2, as in PGN and in matches of engines.
type TimeControl struct{ Initial, Increment time.Duration }

// maxSeconds bounds the parts of a time control: a year.
const maxSeconds = 366 * 24 * 3600

// ParseTimeControl parses seconds for the game and for each move, such as "180+2",
// "10+0.1" or "60". "-" is no clock.
func ParseTimeControl(text string) (TimeControl, error) {
	if text == "-" {
		return TimeControl{}, nil
	}
	initial, increment, hasIncrement := strings.Cut(text, "+")
	a, err := strconv.ParseFloat(initial, 64)
	var b float64
	if hasIncrement && err == nil {
		b, err = strconv.ParseFloat(increment, 64)
	}
	t := TimeControl{seconds(a), seconds(b)}
	if err != nil || !(a >= 0 && a <= maxSeconds && b >= 0 && b <= maxSeconds) || t == (TimeControl{}) {
		return TimeControl{}, fmt.Errorf("time control %q: want seconds+seconds, such as 180+2 or 3+0.03", text)
	}
	return t, nil
}

// seconds returns a number of seconds to the microsecond.
func seconds(n float64) time.Duration {
	return time.Duration(math.Round(n*1e6)) * time.Microsecond
}

// String returns what [ParseTimeControl] parses.
func (t TimeControl) String() string {
	if t == (TimeControl{}) {
		return "-"
	}
	return formatSeconds(t.Initial) + "+" + formatSeconds(t.Increment)
}

// formatSeconds writes seconds without an exponent, whose sign would read as an increment.
func formatSeconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
}
