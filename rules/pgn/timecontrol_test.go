package pgn

import (
	"testing"
	"time"
)

func TestParseTimeControl(t *testing.T) {
	for text, want := range map[string]struct {
		control TimeControl
		again   string
	}{
		"180+2":  {TimeControl{3 * time.Minute, 2 * time.Second}, "180+2"},
		"10+0.1": {TimeControl{10 * time.Second, 100 * time.Millisecond}, "10+0.1"},
		"0+1":    {TimeControl{0, time.Second}, "0+1"},
		"60":     {TimeControl{time.Minute, 0}, "60+0"},
		"-":      {TimeControl{}, "-"},
	} {
		if got, err := ParseTimeControl(text); err != nil || got != want.control || got.String() != want.again {
			t.Errorf("%s is %+v, written as %s, error %v", text, got, got, err)
		}
	}
	for _, text := range []string{"", "?", "0+0", "0", "+", "1+", "+1", "-1+2", "1+-1", "NaN+1", "Inf+1", "1/86400",
		"40/60", "1+1+1", "99999999+0", "3 days"} {
		if got, err := ParseTimeControl(text); err == nil || got != (TimeControl{}) {
			t.Errorf("%q is %v", text, got)
		}
	}
}
