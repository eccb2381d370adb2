package book

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

func TestBooks_VariesByWeight(t *testing.T) {
	s, g, count := Books{sample(t)}, rules.NewGame(rules.StartPosition()), map[string]int{}
	for n := range 100 {
		m, ok := s.Pick(g, nil, func(total int) int { return n % total })
		if !ok {
			t.Fatal("no move")
		}
		count[m.Move.String()]++
	}
	if want := map[string]int{"e2e4": 60, "d2d4": 30, "g1f3": 10}; !maps.Equal(count, want) {
		t.Errorf("picked %v, want %v by weight", count, want)
	}
}

// The first book that has an allowed move gives it.
func TestBooks_InOrder(t *testing.T) {
	start := rules.StartPosition()
	other, err := newTable("", []entry{{key: start.Key(), move: fixture.Move(t, &start, "c2c4"), weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	s := Books{other, sample(t)}
	for want, allowed := range map[string]string{"c2c4": "", "g1f3": "g1f3 h2h3", "0000": "h2h3"} {
		var moves []rules.Move
		for _, uci := range strings.Fields(allowed) {
			moves = append(moves, fixture.Move(t, &start, uci))
		}
		m, ok := s.Pick(rules.NewGame(start), moves, rand.IntN)
		if m.Move.String() != want || ok != (m.Weight > 0) {
			t.Errorf("of %q picked %v, %t, want %s", allowed, m, ok, want)
		}
	}
}

func TestBooks_NoMoveForRepetitionOrLateInGame(t *testing.T) {
	s := Books{sample(t)}
	shuffle := []string{"g1f3", "g8f6", "f3g1", "f6g8"}
	g := fixture.Game(t, shuffle...)
	if m, ok := s.Pick(g, nil, rand.IntN); ok {
		t.Errorf("picked %v in a repeated position", m)
	}
	deep := rules.NewGame(rules.StartPosition())
	if _, ok := (&Books{}).Pick(deep, nil, rand.IntN); ok {
		t.Error("no books have a move")
	}
	// The start position again, but MaxPlies plies into the game.
	for deep.Ply() < MaxPlies {
		fixture.Play(t, deep, shuffle[deep.Ply()%4])
	}
	if m, ok := s.Pick(deep, nil, rand.IntN); ok {
		t.Errorf("picked %v at ply %d", m, deep.Ply())
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	save := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		fixture.Write(t, path, data)
		return path
	}
	polyglot := polyglotFile(rawEntry{0x463b96181691fc9c, raw("e2", "e4", 0), 1})
	for path, want := range map[string]string{ // what the book or the error says
		save("own.zhbk", sample(t).encode()):  "zhbot book, 2 positions, 4 moves",
		save("own.bin", sample(t).encode()):   "zhbot book, 2 positions, 4 moves",
		save("crazyhouse.bin", polyglot):      "Polyglot book, 1 moves",
		save("CRAZYHOUSE.BIN", polyglot):      "Polyglot book, 1 moves",
		save("notes.txt", []byte("1. e4 e5")): "does not begin with",
		save("cut.bin", polyglot[:15]):        "cut short",
		save("old.zhbk", []byte("ZHBK")):      "without the header",
	} {
		text := ""
		if b, err := Open(path); err == nil {
			text = b.String()
		} else if errors.Is(err, ErrBadBook) && strings.Contains(err.Error(), path) {
			text = err.Error()
		}
		if !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %q", path, text, want)
		}
	}
	if _, err := Open(filepath.Join(dir, "none.bin")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want that there is no such file", err)
	}
}

func TestOpenBooks(t *testing.T) {
	s, err := OpenBooks([]string{"", Embedded})
	if err != nil {
		t.Fatal(err)
	}
	if len(s) != 1 {
		t.Errorf("%d books, want the one in the program", len(s))
	}
	if _, err := OpenBooks([]string{Embedded, "no-such-file.bin"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want that there is no such file", err)
	}
}
