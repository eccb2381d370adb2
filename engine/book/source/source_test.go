package source

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/rules"
)

const threeGames = `[Event "one"]
[Variant "Crazyhouse"]
[Result "1-0"]

1. e4 e5 1-0

[Event "not a game"]
[Variant "Crazyhouse"]
[Result "1-0"]

1. e5 1-0

[Event "not finished"]
[Variant "Crazyhouse"]
[Result "*"]

1. d4 *
`

// Only finished games count, and those that cannot be read are reported.
func TestCountFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.pgn")
	if err := os.WriteFile(path, []byte(threeGames), 0o600); err != nil {
		t.Fatal(err)
	}
	counter, skipped := book.NewCounter(9), 0
	games, err := CountFile(t.Context(), counter, path, func(error) { skipped++ })
	if err != nil || games != 1 || skipped != 1 {
		t.Errorf("%d games, %d skipped, %v", games, skipped, err)
	}
	b, err := counter.Table(1, "")
	if err != nil {
		t.Fatal(err)
	}
	start := rules.StartPosition()
	if moves := b.Moves(&start); len(moves) != 1 || start.SAN(moves[0].Move) != "e4" {
		t.Errorf("%v, want e4 alone", moves)
	}
}

// Moves far worse than the best are not searched again, and not in the result.
func TestNewScorer(t *testing.T) {
	p, err := rules.ParseFEN("6k1/5ppp/8/8/8/8/5PPP/6K1/R w - - 0 1") // mate by a drop
	if err != nil {
		t.Fatal(err)
	}
	moves, err := NewScorer(engine.Options{Threads: 1, HashMB: 1}, 1000, 60)(t.Context(), &p)
	if err != nil {
		t.Fatal(err)
	}
	mate := engine.MateScore(1)
	for _, m := range moves {
		if m.Score != int(mate) {
			t.Errorf("%s has the score %d, want only mates in one", p.SAN(m.Move), m.Score)
		}
	}
	if len(moves) == 0 {
		t.Error("no moves")
	}
}
