// Package booktest makes books for tests.
package booktest

import (
	"path/filepath"
	"testing"

	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// Table returns a book of the moves in drawn games, each given in UCI notation.
func Table(t testing.TB, games ...string) *book.Table {
	t.Helper()
	counter := book.NewCounter(book.MaxPlies)
	for _, moves := range games {
		g := rulestest.Game(t, moves)
		counter.Add(g.Start(), g.Moves(), rules.Draw)
	}
	table, err := counter.Table(1, "")
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// Write writes such a book to a file.
func Write(t testing.TB, games ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "test.zhbk")
	if err := Table(t, games...).Save(path); err != nil {
		t.Fatal(err)
	}
	return path
}
