package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/zhbot/zhbot/internal/sandbox"
)

// timeControl is a flag value such as 180+2: seconds for the game and for each
// move, fractions allowed.
type timeControl sandbox.TimeControl

// Set implements pflag.Value.
func (t *timeControl) Set(text string) error {
	initial, increment, ok := strings.Cut(text, "+")
	a, err1 := strconv.ParseFloat(initial, 64)
	b, err2 := strconv.ParseFloat(increment, 64)
	const most = 24 * 3600
	if !ok || err1 != nil || err2 != nil || !(a >= 0 && a <= most && b >= 0 && b <= most) || a+b == 0 {
		return fmt.Errorf("time control %q: want seconds+seconds, such as 180+2 or 3+0.03", text)
	}
	t.Initial, t.Increment = seconds(a), seconds(b)
	return nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// String implements pflag.Value.
func (t *timeControl) String() string { return sandbox.TimeControl(*t).String() }

// Type implements pflag.Value.
func (t *timeControl) Type() string { return "seconds+seconds" }
