package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/search"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// writeBook writes a book in which White begins with these moves, each as often as
// it is named.
func writeBook(t *testing.T, moves ...string) (path string) {
	t.Helper()
	tally, start := book.NewTally(1), rules.StartPosition()
	for _, uci := range moves {
		m, err := start.ParseUCI(uci)
		if err != nil {
			t.Fatal(err)
		}
		tally.Add(&start, []rules.Move{m}, book.WhiteWon)
	}
	b, err := tally.Table(1, "")
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "test.zhbk")
	if err := saveBook(path, b); err != nil {
		t.Fatal(err)
	}
	return path
}

// openBooks returns the openings that settings with these books have.
func openBooks(t *testing.T, paths ...string) *openings {
	t.Helper()
	c := config.Default()
	c.Engine.Book = paths
	o, err := newOpenings(&c, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	o.draw = rand.New(rand.NewPCG(3, 4)).IntN
	return o
}

// A move of the book is played without a search, and so without a score.
func TestAdapter_PlaysFromTheBook(t *testing.T) {
	a := adapter{
		engine:   engine.New(engine.Options{Threads: 1, HashMB: 1}),
		openings: openBooks(t, writeBook(t, "a2a4", "h2h4")),
	}
	g := rules.NewGame(rules.StartPosition())
	played := map[string]bool{}
	for range 64 {
		r, err := a.Search(t.Context(), g, search.Limits{Nodes: 100}, nil)
		if err != nil {
			t.Fatal(err)
		}
		played[r.Move.String()] = true
		if r.Info.Depth != 0 || r.Info.Nodes != 0 || r.Info.Score != (pgn.Score{}) {
			t.Fatalf("result %+v, want one without a search", r)
		}
	}
	if len(played) != 2 || !played["a2a4"] || !played["h2h4"] {
		t.Errorf("played %v, want a2a4 and h2h4", played)
	}

	start := g.Position()
	var others []rules.Move // all but what has lost
	for _, m := range start.LegalMoves() {
		if m.String() != "a2a4" {
			others = append(others, m)
		}
	}
	for range 20 {
		if r, err := a.Search(t.Context(), g, search.Limits{Nodes: 100, Moves: others}, nil); err != nil || r.Move.String() != "h2h4" {
			t.Fatalf("%s, %v; a2a4 is to be avoided", r.Move, err)
		}
	}
	others = slices.DeleteFunc(others, func(m rules.Move) bool { return m.String() == "h2h4" })
	if r, err := a.Search(t.Context(), g, search.Limits{Nodes: 100, Moves: others}, nil); err != nil || r.Info.Nodes == 0 || !slices.Contains(others, r.Move) {
		t.Errorf("%+v, %v; all of the book is to be avoided: want a search", r, err)
	}
}

// Pondering fills the table for the search: a book has nothing to add.
func TestOpenings_NotForPondering(t *testing.T) {
	o := openBooks(t, writeBook(t, "a2a4"))
	if m, ok := o.pick(t.Context(), rules.NewGame(rules.StartPosition()), search.Limits{Ponder: true}); ok {
		t.Errorf("picked %s", m)
	}
}

func TestOpenings_Reload(t *testing.T) {
	o := openBooks(t, writeBook(t, "a2a4"))
	g := rules.NewGame(rules.StartPosition())
	var out bytes.Buffer
	log := zerolog.New(&out)
	c := config.Default()
	c.Engine.Book = []string{writeBook(t, "h2h4")}
	o.reload(&c, log)
	if m, ok := o.pick(t.Context(), g, search.Limits{}); !ok || m.String() != "h2h4" {
		t.Errorf("after the reload: %s, %t, want h2h4", m, ok)
	}
	c.Engine.Book = []string{filepath.Join(t.TempDir(), "none.bin")}
	o.reload(&c, log)
	if m, ok := o.pick(t.Context(), g, search.Limits{}); !ok || m.String() != "h2h4" {
		t.Errorf("after a bad reload: %s, %t, want the old book's h2h4", m, ok)
	}
	if text := out.String(); strings.Count(text, "the old ones stay") != 1 || !strings.Contains(text, "none.bin") {
		t.Errorf("the log says %q", text)
	}
	c.Engine.Book = nil
	o.reload(&c, log)
	if m, ok := o.pick(t.Context(), g, search.Limits{}); ok {
		t.Errorf("without a book: %s", m)
	}
}

// Whole at any moment: a file that cannot be written leaves the old one, and
// nothing beside it.
func TestSaveBook_Fails(t *testing.T) {
	path := writeBook(t, "a2a4")
	b, err := book.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	into := filepath.Join(filepath.Dir(path), "folder")
	if err := os.MkdirAll(filepath.Join(into, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := saveBook(into, b.(*book.Table)); err == nil {
		t.Error("a folder was replaced by a book")
	}
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(files) != 2 {
		t.Errorf("%d entries, %v, want the book and the folder", len(files), err)
	}
}
