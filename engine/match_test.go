package engine

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

// longestGame is the ply at which a test game is a draw.
const longestGame = 400

// playMatch plays games between two limits from the test openings, each with both colours,
// and returns the points of the first.
func playMatch(t *testing.T, games int, first, second Limits) (points float64) {
	openings := readLines(t, "testdata/openings.epd")
	var mu sync.Mutex
	t.Run("games", func(t *testing.T) {
		for i := range games {
			t.Run(fmt.Sprint(i+1), func(t *testing.T) {
				t.Parallel()
				g, black := newGame(t, openings[i/2%len(openings)]), i%2 == 1
				limits := [2]Limits{first, second}
				if black {
					slices.Reverse(limits[:])
				}
				playOut(t, g, limits)
				mu.Lock()
				defer mu.Unlock()
				points += pointsOf(g, black)
			})
		}
	})
	return points
}

// playOut plays a game to its end, with one engine for each colour.
func playOut(t *testing.T, g *rules.Game, limits [2]Limits) {
	engines := [2]*Engine{newTestEngine(), newTestEngine()}
	for !g.Outcome(rules.Threefold).Over() && g.Ply() < longestGame {
		c := g.Position().Turn()
		if err := g.Play(mustSearch(t, engines[c], g, limits[c]).Move); err != nil {
			t.Fatal(err)
		}
	}
}

// pointsOf returns the points of a finished game for White, or for Black.
func pointsOf(g *rules.Game, black bool) float64 {
	switch result := g.Outcome(rules.Threefold).Result(); {
	case result == rules.NoResult:
		return 0.5 // too long
	case black:
		return result.Points(rules.Black)
	default:
		return result.Points(rules.White)
	}
}

// readLines returns the lines of a test file, without comments.
func readLines(t testing.TB, name string) (lines []string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := strings.TrimSpace(s.Text()); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}
