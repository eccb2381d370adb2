package lichess

import (
	"strings"
	"testing"
	"time"
)

func TestParseClock(t *testing.T) {
	for text, want := range map[string]struct {
		clock Clock
		shown string // "" for the text
	}{
		"3+2":         {Clock{3 * time.Minute, 2 * time.Second}, ""},
		"0+2":         {Clock{0, 2 * time.Second}, ""},
		"¼+0":         {Clock{15 * time.Second, 0}, ""},
		"½+1":         {Clock{30 * time.Second, time.Second}, ""},
		"¾+0":         {Clock{45 * time.Second, 0}, ""},
		"0.5+0":       {Clock{30 * time.Second, 0}, "½+0"},
		"1.5+0":       {Clock{90 * time.Second, 0}, ""},
		"1½+0":        {Clock{90 * time.Second, 0}, "1.5+0"},
		"15+10":       {Clock{15 * time.Minute, 10 * time.Second}, ""},
		"59+0":        {Clock{59 * time.Minute, 0}, ""},
		"59.5+0":      {Clock{59*time.Minute + 30*time.Second, 0}, ""},
		"0.1+0":       {Clock{6 * time.Second, 0}, "6s+0s"},
		"3+0.2":       {Clock{3 * time.Minute, 200 * time.Millisecond}, "3m+0.2s"},
		"15s+0.2s":    {Clock{15 * time.Second, 200 * time.Millisecond}, ""},
		"3m+2s":       {Clock{3 * time.Minute, 2 * time.Second}, "3+2"},
		"180s+2s":     {Clock{3 * time.Minute, 2 * time.Second}, "3+2"},
		"100s+0s":     {Clock{100 * time.Second, 0}, ""},
		"60m+0s":      {Clock{time.Hour, 0}, ""},
		"180m+180s":   {Clock{3 * time.Hour, 3 * time.Minute}, ""},
		"4500s+0.25s": {Clock{75 * time.Minute, 250 * time.Millisecond}, "75m+0.25s"},
	} {
		got, err := ParseClock(text)
		if want.shown == "" {
			want.shown = text
		}
		if err != nil || got != want.clock || got.String() != want.shown {
			t.Errorf("%s is %+v, shown as %s, error %v", text, got, got, err)
		}
	}
}

// What once was in seconds is refused rather than taken as minutes.
func TestParseClock_Invalid(t *testing.T) {
	for text, want := range map[string]string{
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
	} {
		if got, err := ParseClock(text); err == nil || !strings.Contains(err.Error(), want) || got != (Clock{}) {
			t.Errorf("%q is %v, error %v, want %s", text, got, err, want)
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

func TestParseChallengeClock(t *testing.T) {
	for text, want := range map[string]string{
		"3+2":     "",
		"¼+1":     "",
		"15s+1s":  "",
		"15m+10s": "",
		"10+5":    "",
		"0+2":     "",
		"180m+0s": "",
		"180+2":   "180+2 needs a unit; write 3+2 for 180 seconds, or 180m+2s for 180 minutes",
		"15+10":   "15+10 needs a unit; write 15m+10s for minutes, or 15s+10s for seconds",
		"30+0":    "30+0 needs a unit",
		"45+45":   "45+45 needs a unit",
		"60+0":    "60+0 needs a unit",
		"x":       "not a clock",
	} {
		if _, err := ParseChallengeClock(text, true); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

func TestClock_Validate(t *testing.T) {
	for text, want := range map[string]string{
		"3+2": "", "½+0": "", "¾+0": "", "1.5+0": "", "0+2": "", "¼+1": "", "180m+60s": "",
		"2.5+0":   "no clock of Lichess begins with 150s; want 0, 15, 30, 45 or 90 seconds, or whole minutes up to 180",
		"100s+0s": "no clock of Lichess begins with 100s",
		"3+61":    "no clock of Lichess has an increment of 61s; want whole seconds up to 60",
		"3+0.2":   "an increment of 0.2s",
		"¼+0":     "¼+0 is ultraBullet, which Lichess does not allow bots",
		"0+1":     "0+1 is never rated on Lichess; make it casual",
	} {
		c, err := ParseClock(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Validate(true); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
	if err := (Clock{0, time.Second}).Validate(false); err != nil {
		t.Error("casual 0+1:", err)
	}
	for _, c := range []Clock{{}, {-time.Minute, 0}, {time.Minute, -1}, {MaxInitial + time.Minute, 0}} {
		if c.Validate(false) == nil {
			t.Errorf("%s is valid", c)
		}
	}
}

func TestClock_Speed(t *testing.T) {
	for _, tt := range []struct {
		initial, increment time.Duration // in seconds
		want               Speed
	}{
		{15, 0, UltraBullet}, {29, 0, UltraBullet}, {30, 0, Bullet}, {0, 1, Bullet}, {60, 2, Bullet}, {179, 0, Bullet},
		{180, 0, Blitz}, {180, 2, Blitz}, {300, 4, Blitz}, {480, 0, Rapid}, {600, 5, Rapid}, {1500, 0, Classical}, {10800, 60, Classical},
		{0, 0, Correspondence},
	} {
		if got := (Clock{tt.initial * time.Second, tt.increment * time.Second}).Speed(); got != tt.want {
			t.Errorf("%d+%d is %s, want %s", tt.initial, tt.increment, got, tt.want)
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

func TestParseClockWithUnits(t *testing.T) {
	for text, want := range map[string]string{
		"15s+0.2s": "",
		"3m+2s":    "",
		"½m+0s":    "",
		"15+0.2":   `"15+0.2" needs units; write 15s+0.2s or 15m+0.2s`,
		"180+2":    `"180+2" needs units; write 180s+2s or 180m+2s`,
		"15s+1":    `"15s+1" needs units; write 15s+1s or 15m+1s`,
		"3+2s":     `"3+2s" needs units; write 3s+2s or 3m+2s`,
		"3m":       "not a clock",
		"xs+ys":    "not a clock",
	} {
		if _, err := ParseClockWithUnits(text); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}
