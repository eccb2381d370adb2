package enginetest

import (
	"path/filepath"
	"testing"

	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// BookTable returns a book of the moves in drawn games, each given in UCI notation.
func BookTable(t testing.TB, games ...string) *book.Table {
	t.Helper()
	counter := book.NewCounter(book.MaxPlies)
	for _, moves := range games {
		g := fixture.Game(t, moves)
		counter.Add(g.Start(), g.Moves(), rules.Draw)
	}
	table, err := counter.Table(1, "")
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// WriteBook writes such a book to a file.
func WriteBook(t testing.TB, games ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "test.zhbk")
	if err := BookTable(t, games...).Save(path); err != nil {
		t.Fatal(err)
	}
	return path
}
