package record

import (
	"strings"
	"testing"

	"github.com/zhbot/zhbot/rules/pgn"
)

// uncounted returns the sample as a rated game that changed no rating.
func uncounted(t *testing.T, reason Uncounted) *Game {
	g := sample(t, "zH4kQ2ab", august)
	g.RatingKnown, g.White.RatingDiff, g.Black.RatingDiff, g.Uncounted = false, 0, 0, reason
	return g
}

// A record tells why a game did not count. One without the tag, such as an old one, tells
// nothing about that.
func TestUncounted_PGN(t *testing.T) {
	for _, tt := range []struct {
		name, from, to string
		want           Uncounted
	}{
		{"recorded", "", "", Farming},
		{"an old record", `[RatingUncounted "farming"]` + "\n", "", ""},
		{"a reason of a later version", "farming", "cosmic rays", UnknownReason},
		{"counted all the same", "[RatingUncounted", "[WhiteRatingDiff \"+3\"]\n[RatingUncounted", ""},
	} {
		text := strings.Replace(uncounted(t, Farming).PGN().String(), tt.from, tt.to, 1)
		if strings.Count(text, "RatingDiff") != strings.Count(tt.to, "RatingDiff") {
			t.Errorf("%s: a rating change in\n%s", tt.name, text)
		}
		parsed, err := pgn.NewReader(strings.NewReader(text)).Next()
		if err != nil {
			t.Fatal(err)
		}
		if g := parseGame(parsed); g.Uncounted != tt.want || !g.Rated {
			t.Errorf("%s: %q, want %q", tt.name, g.Uncounted, tt.want)
		}
	}
}
