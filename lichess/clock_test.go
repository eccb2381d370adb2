package lichess

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestParseClock(t *testing.T) {
	for text, want := range map[string]string{ // initial time, increment, and as it is shown
		"3+2":         "3m0s 2s 3+2",
		"0+2":         "0s 2s 0+2",
		"¼+0":         "15s 0s ¼+0",
		"½+1":         "30s 1s ½+1",
		"¾+0":         "45s 0s ¾+0",
		"0.5+0":       "30s 0s ½+0",
		"1.5+0":       "1m30s 0s 1.5+0",
		"1½+0":        "1m30s 0s 1.5+0",
		"15+10":       "15m0s 10s 15+10",
		"59+0":        "59m0s 0s 59+0",
		"59.5+0":      "59m30s 0s 59.5+0",
		"0.1+0":       "6s 0s 6s+0s",
		"3+0.2":       "3m0s 200ms 3m+0.2s",
		"15s+0.2s":    "15s 200ms 15s+0.2s",
		"3m+2s":       "3m0s 2s 3+2",
		"180s+2s":     "3m0s 2s 3+2",
		"100s+0s":     "1m40s 0s 100s+0s",
		"60m+0s":      "1h0m0s 0s 60m+0s",
		"180m+180s":   "3h0m0s 3m0s 180m+180s",
		"4500s+0.25s": "1h15m0s 250ms 75m+0.25s",
	} {
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
	withUnits := func(text string) error { return second(ParseClockWithUnits(text)) }
	challenge := func(text string) error { return second(ParseChallengeClock(text, true)) }
	valid := func(text string) error {
		c, err := ParseClock(text)
		if err != nil {
			t.Fatal(err)
		}
		return c.Validate(true)
	}
	for _, tt := range []struct {
		read  func(string) error
		texts map[string]string // "" for no error
	}{
		{parse, map[string]string{
			"":          `"" is not a clock; want minutes+seconds such as 3+2, or units such as 15s+0.2s`,
			"3m":        "not a clock",
			"+":         "not a clock",
			"+2":        "not a clock",
			"-3+2":      "not a clock",
			"3+-2":      "not a clock",
			"3+2+1":     "not a clock",
			"3h+0":      "not a clock",
			"3+2m":      "not a clock",
			"NaN+Inf":   "not a clock",
			"1e1+0":     "not a clock",
			"0x1p1+0":   "not a clock",
			"¼¼+0":      "not a clock",
			"1000000+0": "not a clock",
			"0+0":       "0+0 has no time",
			"0.0+0.0":   "0.0+0.0 has no time",
			"60+0":      "60+0 needs a unit; write 1+0 for 60 seconds, or 60m+0s for 60 minutes",
			"60+1":      "60+1 needs a unit; write 1+1 for 60 seconds, or 60m+1s for 60 minutes",
			"90+0":      "90+0 needs a unit; write 1.5+0 for 90 seconds, or 90m+0s for 90 minutes",
			"180+2":     "180+2 needs a unit; write 3+2 for 180 seconds, or 180m+2s for 180 minutes",
			"300+3":     "300+3 is 300 minutes, which no clock of Lichess has; write 5+3 for 300 seconds",
			"181m+0s":   "181m+0s is longer than any clock of Lichess, 180m+180s",
			"5+181":     "5+181 is longer than any clock of Lichess, 180m+180s",
		}},
		{challenge, map[string]string{
			"3+2": "", "¼+1": "", "15s+1s": "", "15m+10s": "", "10+5": "", "0+2": "", "180m+0s": "",
			"180+2": "180+2 needs a unit; write 3+2 for 180 seconds, or 180m+2s for 180 minutes",
			"15+10": "15+10 needs a unit; write 15m+10s for minutes, or 15s+10s for seconds",
			"30+0":  "30+0 needs a unit",
			"45+45": "45+45 needs a unit",
			"60+0":  "60+0 needs a unit",
			"x":     "not a clock",
		}},
		{withUnits, map[string]string{
			"15s+0.2s": "", "3m+2s": "", "½m+0s": "",
			"15+0.2": `"15+0.2" needs units; write 15s+0.2s or 15m+0.2s`,
			"180+2":  `"180+2" needs units; write 180s+2s or 180m+2s`,
			"15s+1":  `"15s+1" needs units; write 15s+1s or 15m+1s`,
			"3+2s":   `"3+2s" needs units; write 3s+2s or 3m+2s`,
			"3m":     "not a clock",
			"xs+ys":  "not a clock",
		}},
		{valid, map[string]string{
			"3+2": "", "½+0": "", "¾+0": "", "1.5+0": "", "0+2": "", "¼+1": "", "180m+60s": "",
			"2.5+0":   "no clock of Lichess begins with 150s; want 0, 15, 30, 45 or 90 seconds, or whole minutes up to 180",
			"100s+0s": "no clock of Lichess begins with 100s",
			"3+61":    "no clock of Lichess has an increment of 61s; want whole seconds up to 60",
			"3+0.2":   "an increment of 0.2s",
			"¼+0":     "¼+0 is ultraBullet, which Lichess does not allow bots",
			"0+1":     "0+1 is never rated on Lichess; make it casual",
		}},
	} {
		for text, want := range tt.texts {
			checkError(t, text, tt.read(text), want)
		}
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
	for _, text := range []string{"3+2", "½+0", "2¼+0", "0.5+0.1", "15s+0.2s", "3m+2s", "180+2", "0.00000000001+0", "1e2+1e1", "NaN+NaN"} {
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
	for text, want := range map[string]Speed{
		"15s+0s": UltraBullet, "29s+0s": UltraBullet, "30s+0s": Bullet, "0s+1s": Bullet, "60s+2s": Bullet, "179s+0s": Bullet,
		"180s+0s": Blitz, "180s+2s": Blitz, "300s+4s": Blitz, "480s+0s": Rapid, "600s+5s": Rapid, "1500s+0s": Classical,
		"10800s+60s": Classical, "": Correspondence,
	} {
		c, _ := ParseClock(text) // "" is no clock
		if got := c.Speed(); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestValidUserName(t *testing.T) {
	for name, want := range map[string]bool{
		"DropFan": true, "a-b_c": true, "_old": true, strings.Repeat("x", 30): true,
		"": false, "a": false, "a b": false, "é1": false, "@dropfan": false, "a/b": false, strings.Repeat("x", 31): false,
	} {
		if got := ValidUserName(name); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
}
