package book

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

func TestBooks_VariesByWeight(t *testing.T) {
	s := Books{sample(t)}
	g := rules.NewGame(rules.StartPosition())
	rng := rand.New(rand.NewPCG(1, 2))
	count := map[string]int{}
	for range 1000 {
		m, ok := s.Pick(g, nil, rng.IntN)
		if !ok {
			t.Fatal("no move")
		}
		count[m.Move.String()]++
	}
	// Weights 60, 30 and 10; seven standard deviations leave no room for chance.
	for uci, want := range map[string]int{"e2e4": 600, "d2d4": 300, "g1f3": 100} {
		if n := count[uci]; n < want-110 || n > want+110 {
			t.Errorf("%s picked %d times of 1000, want about %d", uci, n, want)
		}
	}
}

// With a few moves of nearly equal score in each position, somebody who always plays the
// same sees another game nearly every time.
func TestBooks_Variety(t *testing.T) {
	scorer := func(_ context.Context, p *rules.Position) (scored []ScoredMove, _ error) {
		moves := p.LegalMoves()
		if p.Turn() == rules.Black { // who always plays the same
			moves = moves[:1]
		} else { // who moves pawns: pieces might only come back
			moves = slices.DeleteFunc(moves, func(m rules.Move) bool { return p.PieceAt(m.From()).Type() != rules.Pawn })
		}
		for i, m := range moves[:min(4, len(moves))] {
			scored = append(scored, ScoredMove{m, -3 * i}) // 0, -3, -6 and -9
		}
		return scored, nil
	}
	b, err := Build(t.Context(), BuildOptions{Positions: 500, Plies: 8, Margin: 15, Replies: 60, Workers: 1}, func() Scorer { return scorer }, nil)
	if err != nil {
		t.Fatal(err)
	}
	const games = 400
	rng, seen := rand.New(rand.NewPCG(1, 2)), map[string]int{}
	for range games {
		g := rules.NewGame(rules.StartPosition())
		for {
			m, ok := Books{b}.Pick(g, nil, rng.IntN)
			if !ok {
				break
			}
			if err := g.Play(m.Move); err != nil {
				t.Fatal(err)
			}
			if err := g.Play(g.Position().LegalMoves()[0]); err != nil {
				t.Fatal(err)
			}
		}
		if g.Ply() < 6 {
			t.Fatalf("the book ends after %d plies: %v", g.Ply(), g.Moves())
		}
		seen[fmt.Sprint(g.Moves())]++
	}
	most := slices.Max(slices.Collect(maps.Values(seen)))
	// Of 256 lines of four moves the likeliest has one game in 65: 6 of 400.
	if len(seen) < 150 || most > 25 {
		t.Errorf("%d lines in %d games, one of them %d times", len(seen), games, most)
	}
}

func TestBooks_AllowedMoves(t *testing.T) {
	s := Books{sample(t)}
	g := rules.NewGame(rules.StartPosition())
	rng := rand.New(rand.NewPCG(1, 2))
	start := rules.StartPosition()
	allowed := []rules.Move{rulestest.Move(t, &start, "g1f3"), rulestest.Move(t, &start, "h2h3")}
	for range 50 {
		if m, ok := s.Pick(g, allowed, rng.IntN); !ok || m.Move != allowed[0] {
			t.Fatalf("picked %v, %t, want g1f3", m, ok)
		}
	}
	if m, ok := s.Pick(g, allowed[1:], rng.IntN); ok {
		t.Errorf("picked %v although no move of the book is allowed", m)
	}
}

func TestBooks_InOrder(t *testing.T) {
	start := rules.StartPosition()
	other, err := newTable("", []entry{{key: start.Key(), move: rulestest.Move(t, &start, "c2c4"), weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	s := Books{other, sample(t)}
	g := rules.NewGame(start)
	if m, _ := s.Pick(g, nil, rand.IntN); m.Move.String() != "c2c4" {
		t.Errorf("picked %v, want the first book's c2c4", m)
	}
	without := []rules.Move{rulestest.Move(t, &start, "e2e4")}
	if m, _ := s.Pick(g, without, rand.IntN); m.Move.String() != "e2e4" {
		t.Errorf("picked %v, want the second book's e2e4", m)
	}
}

func TestBooks_NoMoveForRepetitionOrLateInGame(t *testing.T) {
	s := Books{sample(t)}
	shuffle := []string{"g1f3", "g8f6", "f3g1", "f6g8"}
	g := rulestest.Game(t, shuffle...)
	if m, ok := s.Pick(g, nil, rand.IntN); ok {
		t.Errorf("picked %v in a repeated position", m)
	}
	deep := rules.NewGame(rules.StartPosition())
	if _, ok := (&Books{}).Pick(deep, nil, rand.IntN); ok {
		t.Error("no books have a move")
	}
	// The start position again, but MaxPlies plies into the game.
	for deep.Ply() < MaxPlies {
		rulestest.Play(t, deep, shuffle[deep.Ply()%4])
	}
	if m, ok := s.Pick(deep, nil, rand.IntN); ok {
		t.Errorf("picked %v at ply %d", m, deep.Ply())
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	save := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		filetest.Write(t, path, data)
		return path
	}
	polyglot := polyglotFile(rawEntry{0x463b96181691fc9c, raw("e2", "e4", 0), 1})
	good := map[string]string{
		save("own.zhbk", encoded(t, sample(t))): "zhbot book, 2 positions, 4 moves",
		save("own.bin", encoded(t, sample(t))):  "zhbot book, 2 positions, 4 moves",
		save("crazyhouse.bin", polyglot):        "Polyglot book, 1 moves",
		save("CRAZYHOUSE.BIN", polyglot):        "Polyglot book, 1 moves",
	}
	for path, want := range good {
		b, err := Open(path)
		if err != nil {
			t.Error(err)
		} else if b.String() != want {
			t.Errorf("%s: %s, want %s", path, b, want)
		}
	}
	bad := map[string]string{ // what the error must say
		save("notes.txt", []byte("1. e4 e5")): "does not begin with",
		save("cut.bin", polyglot[:15]):        "cut short",
		save("old.zhbk", []byte("ZHBK")):      "without the header",
	}
	for path, want := range bad {
		_, err := Open(path)
		if !errors.Is(err, ErrBadBook) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want ErrBadBook, the file's name and %q", path, err, want)
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
