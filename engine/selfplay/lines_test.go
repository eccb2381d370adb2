package selfplay

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/rules/rulestest"
)

const lostGame = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1\n"

// A fifth of the games begin with a part of a line, and go on in different ways.
func TestGenerate_LineOpenings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lost.pgn")
	filetest.Write(t, path, lostGame)
	o := smallOptions()
	o.Plies, o.LineOpenings, o.MaxOpening = 1500, 0.2, 10_000
	var err error
	if o.Lines, o.LineFiles, err = OpenLines([]string{path}); err != nil {
		t.Fatal(err)
	}
	line := rulestest.Game(t, "e2e4 e7e5 g1f3 b8c6 f1c4 c6d4 f3e5 d8g5 e5f7 g5g2 h1f1 g2e4 c4e2 d4f3").Moves()
	var seen []string
	for i, g := range generateGames(t, o) {
		if (i+1)%5 != 0 {
			continue
		}
		known := len(g.Opening) - 1 - searchedPlies
		if known < minLine || !slices.Equal(g.Opening[:known], line[:known]) {
			t.Errorf("game %d: opening %v", i+1, g.Opening)
		}
		seen = append(seen, fmt.Sprint(g.Opening))
	}
	if n := len(seen); n < 3 || len(slices.Compact(slices.Sorted(slices.Values(seen)))) < 2 {
		t.Errorf("openings from the line: %q", seen)
	}
}

func TestOpenLines(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct{ name, content, want string }{
		{"missing.pgn", "", "no such file"},
		{"short.pgn", "1. e4 e5 1/2-1/2\n", "no game of at least 4 plies"},
		{"illegal.pgn", "1. e4 e5 2. Qe7 1-0\n", "illegal.pgn: "},
		{"book.zhbk", "text", "book.zhbk"},
	} {
		path := filepath.Join(dir, tt.name)
		if tt.content != "" {
			filetest.Write(t, path, tt.content)
		}
		if _, _, err := OpenLines([]string{path}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	lines, names, err := OpenLines([]string{book.Embedded})
	if err != nil || !strings.HasPrefix(names, "book ") {
		t.Fatalf("%q, %v", names, err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	first, second := lines(rng), lines(rng)
	if len(first) < minLine || slices.Equal(first, second) {
		t.Errorf("lines %v and %v of the book", first, second)
	}
}
