// Package human makes the engine play like people: at levels from 0 to [MaxLevel], with a
// rating each ([Scale]), with the oversights of people ([Strength]) and at their pace ([Pace]).
//
// A level is a real number: what lies between two whole ones is between them in strength.
package human

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// MaxLevel is the level of full strength.
const MaxLevel = 20

// Scale has the rating of each whole level, each at least that of the level below.
type Scale [MaxLevel + 1]float64

// Rating returns the rating of a level, interpolated between whole ones.
func (s *Scale) Rating(level float64) float64 {
	level = min(max(level, 0), MaxLevel)
	below := min(int(level), MaxLevel-1)
	return s[below] + (level-float64(below))*(s[below+1]-s[below])
}

// Level returns the level with a rating, or the nearest one if none has it.
func (s *Scale) Level(rating float64) float64 {
	above := 0
	for above <= MaxLevel && s[above] < rating {
		above++
	}
	if above == 0 || above > MaxLevel {
		return float64(min(above, MaxLevel))
	}
	return float64(above) - (s[above]-rating)/(s[above]-s[above-1])
}

// SelfPlayScale returns the ratings of the levels relative to each other: the sums of the
// differences between neighbours, see docs/levels.md. The lowest one is 500 by definition.
// Differences between versions of one engine are larger than those against people.
func SelfPlayScale() Scale {
	return Scale{
		500, 620, 720, 850, 920, 1000, 1130, 1280, 1410, 1630, 1840,
		2000, 2260, 2480, 2610, 2720, 2880, 2980, 3140, 3230, 3280,
	}
}

// The guess of [GuessedScale]: the rating of the lowest level, and how much of a difference in
// self-play is left against people.
const (
	guessedLowest = 1000
	guessedShare  = 0.66
)

// GuessedScale returns a guess at the ratings of the levels in crazyhouse on Lichess, for as long
// as no games are known.
func GuessedScale() Scale {
	s := SelfPlayScale()
	lowest := s[0]
	for i := range s {
		s[i] = math.Round(guessedLowest + guessedShare*(s[i]-lowest))
	}
	return s
}

// MinRating is the lowest rating on Lichess.
const MinRating = 400

// LevelChoice is a level of play as people give it: from 0 to [MaxLevel] the level itself, from
// [MinRating] on a rating on Lichess.
type LevelChoice float64

// ParseLevelChoice parses a choice, such as "5" or "1800".
func ParseLevelChoice(text string) (LevelChoice, error) {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if c := LevelChoice(n); err == nil && c.Check() == nil {
		return c, nil
	}
	return 0, choiceError(text)
}

// Check returns an error unless the number is a level or a rating.
func (c LevelChoice) Check() error {
	if c >= 0 && c <= MaxLevel || c.isRating() {
		return nil
	}
	return choiceError(c.String())
}

func choiceError(text string) error {
	return fmt.Errorf("%.20q: want a level from 0 to %d, or a rating of %d or more", text, MaxLevel, MinRating)
}

// maxRating is more than any rating on Lichess.
const maxRating = 4000

// isRating reports whether the choice is a rating.
func (c LevelChoice) isRating() bool { return c >= MinRating && c <= maxRating }

// Level returns the level chosen, given the ratings of the levels.
func (c LevelChoice) Level(s *Scale) float64 {
	if c.isRating() {
		return s.Level(float64(c))
	}
	return float64(c)
}

// String returns what [ParseLevelChoice] parses.
func (c LevelChoice) String() string { return FormatLevel(float64(c)) }

// Describe names the choice: "level 5", or "rating 1800".
func (c LevelChoice) Describe() string {
	if c.isRating() {
		return "rating " + c.String()
	}
	return "level " + c.String()
}

// FormatLevel formats a level in as many decimals as matter.
func FormatLevel(level float64) string {
	return strconv.FormatFloat(math.Round(100*level)/100, 'f', -1, 64)
}
