package human

import (
	"math"
	"slices"
	"testing"
)

// Both scales rise, and a rating and its level belong together at every point.
func TestScale(t *testing.T) {
	for name, s := range map[string]Scale{"self-play": SelfPlayScale(), "guess": GuessedScale()} {
		if !slices.IsSorted(s[:]) {
			t.Errorf("%s does not rise: %v", name, s)
		}
		for level := 0.0; level <= MaxLevel; level += 0.125 {
			if got := s.Level(s.Rating(level)); math.Abs(got-level) > 1e-9 {
				t.Errorf("%s: level %g has the rating %g, which is level %g", name, level, s.Rating(level), got)
			}
		}
		if low, high := s.Level(s[0]-500), s.Level(s[MaxLevel]+500); low != 0 || high != MaxLevel {
			t.Errorf("%s: beyond its ends it has the levels %g and %g", name, low, high)
		}
		if low, high := s.Rating(-1), s.Rating(MaxLevel+1); low != s[0] || high != s[MaxLevel] {
			t.Errorf("%s: beyond its ends it has the ratings %g and %g", name, low, high)
		}
	}
}

// Where neighbours have the same rating, it is that of the lower level.
func TestScale_Flat(t *testing.T) {
	s := GuessedScale()
	s[6] = s[5]
	if got := s.Level(s[5]); got != 5 {
		t.Errorf("level %g, want 5", got)
	}
}

func TestParseLevelChoice(t *testing.T) {
	scale := GuessedScale()
	for text, level := range map[string]float64{"0": 0, " 5 ": 5, "5.5": 5.5, "20": 20, "1000": 0, "400": 0,
		"3999": 20} {
		c, err := ParseLevelChoice(text)
		if err != nil || c.Level(&scale) != level {
			t.Errorf("%q: level %g, %v, want %g", text, c.Level(&scale), err, level)
		}
	}
	for _, text := range []string{"", "-1", "21", "399", "5000", "NaN", "Inf", "1e9", "five", "5 6"} {
		if c, err := ParseLevelChoice(text); err == nil {
			t.Errorf("%q: %v, %v, want an error", text, c, err)
		}
	}
}
