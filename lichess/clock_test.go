package lichess

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestParseClock(t *testing.T) {
	for _, row := range rows(`
		3+2 | 3m0s 2s 3+2
		0+2 | 0s 2s 0+2
		¼+0 | 15s 0s ¼+0
		½+1 | 30s 1s ½+1
		¾+0 | 45s 0s ¾+0
		0.5+0 | 30s 0s ½+0
		1.5+0 | 1m30s 0s 1.5+0
		1½+0 | 1m30s 0s 1.5+0
		15+10 | 15m0s 10s 15+10
		59+0 | 59m0s 0s 59+0
		59.5+0 | 59m30s 0s 59.5+0
		0.1+0 | 6s 0s 6s+0s
		3+0.2 | 3m0s 200ms 3+0.2
		15s+0.2s | 15s 200ms ¼+0.2
		3m+2s | 3m0s 2s 3+2
		180s+2s | 3m0s 2s 3+2
		100s+0s | 1m40s 0s 100s+0s
		60m+0s | 1h0m0s 0s 60m+0s
		1.5h+0s | 1h30m0s 0s 90m+0s
		180m+180s | 3h0m0s 3m0s 180m+180s
		4500s+0.25s | 1h15m0s 250ms 75m+0.25s
	`) { // its initial time, its increment, and as it is shown
		text, want := row[0], row[1]
		c, err := ParseClock(text)
		if got := fmt.Sprint(c.Initial, " ", c.Increment, " ", c); err != nil || got != want {
			t.Errorf("%s is %s, want %s, error %v", text, got, want, err)
		}
	}
}

// checkError checks that an error says something, or that there is none if that is "".
func checkError(t *testing.T, what string, err error, want string) {
	t.Helper()
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("%s: error %v, want %q", what, err, want)
	}
}

// Each way to read a clock says what is wrong with it. What once was in seconds is refused
// rather than taken as minutes.
func TestClock_Errors(t *testing.T) {
	parse := func(text string) error {
		c, err := ParseClock(text)
		if err != nil && c != (Clock{}) {
			t.Errorf("%q is %v despite an error", text, c)
		}
		return err
	}
	challenge := func(text string) error { return second(ParseChallengeClock(text, true)) }
	valid := func(text string) error {
		c, err := ParseClock(text)
		if err != nil {
			t.Fatal(err)
		}
		return c.Validate(true)
	}
	read := map[string]func(string) error{
		"parse": parse, "challenge": challenge, "validate": valid,
	}
	for _, row := range rows(`
		parse      |           | "" is not a clock; want minutes+seconds such as 3+2, or units such as 15s+0.2s
		parse      | 3m        | not a clock
		parse      | +         | not a clock
		parse      | +2        | not a clock
		parse      | -3+2      | not a clock
		parse      | 3+-2      | not a clock
		parse      | 3+2+1     | not a clock
		parse      | 3d+0      | not a clock
		parse      | 4h+0s     | 4h+0s is longer than any clock of Lichess, 180m+180s
		parse      | 3+2m      | not a clock
		parse      | NaN+Inf   | not a clock
		parse      | 1e1+0     | not a clock
		parse      | 0x1p1+0   | not a clock
		parse      | ¼¼+0      | not a clock
		parse      | 1000000+0 | not a clock
		parse      | 0+0       | 0+0 has no time
		parse      | 0.0+0.0   | 0.0+0.0 has no time
		parse      | 60+0      | 60+0 needs a unit; write 1+0 for 60 seconds, or 60m+0s for 60 minutes
		parse      | 60+1      | 60+1 needs a unit; write 1+1 for 60 seconds, or 60m+1s for 60 minutes
		parse      | 90+0      | 90+0 needs a unit; write 1.5+0 for 90 seconds, or 90m+0s for 90 minutes
		parse      | 180+2     | 180+2 needs a unit; write 3+2 for 180 seconds, or 180m+2s for 180 minutes
		parse      | 300+3     | 300+3 is 300 minutes, which no clock of Lichess has; write 5+3 for 300 seconds
		parse      | 181m+0s   | 181m+0s is longer than any clock of Lichess, 180m+180s
		parse      | 5+181     | 5+181 is longer than any clock of Lichess, 180m+180s
		challenge  | 3+2       |
		challenge  | ¼+1       |
		challenge  | 15s+1s    |
		challenge  | 15+10     |
		challenge  | 3h+0s     |
		challenge  | 15m+10s   |
		challenge  | 10+5      |
		challenge  | 0+2       |
		challenge  | 180m+0s   |
		challenge  | 180+2     | 180+2 needs a unit; write 3+2 for 180 seconds, or 180m+2s for 180 minutes
		challenge  | 60+0      | 60+0 needs a unit
		challenge  | x         | not a clock
		validate   | 3+2       |
		validate   | ½+0       |
		validate   | ¾+0       |
		validate   | 1.5+0     |
		validate   | 0+2       |
		validate   | ¼+1       |
		validate   | 180m+60s  |
		validate   | 2.5+0     | begins with 150s; want 0, 15, 30, 45 or 90 seconds, or whole minutes up to 180
		validate   | 100s+0s   | no clock of Lichess begins with 100s
		validate   | 3+61      | no clock of Lichess has an increment of 61s; want whole seconds up to 60
		validate   | 3+0.2     | an increment of 0.2s
		validate   | ¼+0       | ¼+0 is ultraBullet, which Lichess does not allow bots
		validate   | 0+1       | 0+1 is never rated on Lichess; make it casual
	`) {
		checkError(t, row[0]+" "+row[1], read[row[0]](row[1]), row[2])
	}
	checkError(t, "casual 0+1", Clock{0, time.Second}.Validate(false), "")
	for _, c := range []Clock{{}, {-time.Minute, 0}, {time.Minute, -1}, {MaxInitial + time.Minute, 0}} {
		if c.Validate(false) == nil {
			t.Errorf("%s is valid", c)
		}
	}
}

// FuzzParseClock checks that what is parsed is within its limits and is parsed again as
// what it is shown as.
func FuzzParseClock(f *testing.F) {
	for _, text := range []string{
		"3+2", "½+0", "2¼+0", "0.5+0.1", "15s+0.2s", "3m+2s", "180+2", "0.00000000001+0", "1e2+1e1", "NaN+NaN",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseClock(text)
		if err != nil {
			return
		}
		if c.IsZero() || c.Initial < 0 || c.Initial > MaxInitial || c.Increment < 0 || c.Increment > longestIncrement {
			t.Errorf("%q is %+v", text, c)
		}
		if again, err := ParseClock(c.String()); err != nil || again != c {
			t.Errorf("%q is %d+%d ns, shown as %s, then %+v, error %v", text, c.Initial, c.Increment, c, again, err)
		}
	})
}

func TestClock_Speed(t *testing.T) {
	for _, row := range rows(`
		ultraBullet    | 15s+0s 29s+0s
		bullet         | 30s+0s 0s+1s 60s+2s 179s+0s
		blitz          | 180s+0s 180s+2s 300s+4s
		rapid          | 480s+0s 600s+5s
		classical      | 1500s+0s 10800s+60s
	`) {
		for text := range strings.FieldsSeq(row[1]) {
			if c, err := ParseClock(text); string(c.Speed()) != row[0] || err != nil {
				t.Errorf("%s is %s, want %s, error %v", text, c.Speed(), row[0], err)
			}
		}
	}
	if got := (Clock{}).Speed(); got != Correspondence {
		t.Errorf("no clock is %s", got)
	}
}

func TestValidUserName(t *testing.T) {
	for name, want := range map[string]bool{
		"DropFan": true, "a-b_c": true, "_old": true, strings.Repeat("x", 30): true,
		"": false, "a": false, "a b": false, "é1": false, "@dropfan": false, "a/b": false,
		strings.Repeat("x", 31): false,
	} {
		if got := ValidUserName(name); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
}
