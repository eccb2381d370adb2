package record

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/file/filetest"
)

// Recent reads the newest files, until it has some hundred games.
func TestRecent(t *testing.T) {
	if games, err := Recent(t.Context(), filepath.Join(t.TempDir(), "none")); err != nil || games != nil {
		t.Errorf("of no folder: %v, %v", games, err)
	}
	dir := t.TempDir()
	write := func(file string, first, count int, moves string) {
		var text strings.Builder
		for i := range count {
			fmt.Fprintf(&text, "[Event \"crazyhouse\"]\n[White \"w%d\"]\n[Black \"b\"]\n%s", first+i, moves)
		}
		filetest.Write(t, filepath.Join(dir, file), text.String())
	}
	write("2026-01.pgn", 1, 2, historyMoves)
	write("2026-02.pgn", 3, 2, historyMoves)
	write("notes.pgn", 99, 1, historyMoves)
	names := func() (list []string) {
		games, err := Recent(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range games {
			list = append(list, g.White.Name)
		}
		return list
	}
	if got := strings.Join(names(), " "); got != "w4 w3 w2 w1" {
		t.Errorf("the games are %s", got)
	}
	write("2026-03.pgn", 5, 300, historyMoves)
	if got := names(); len(got) != 300 || got[0] != "w304" {
		t.Errorf("%d games are read, the newest %s", len(got), got[0])
	}
	filetest.Write(t, filepath.Join(dir, "2026-03.pgn"), strings.Repeat("x", 1<<20))
	if got := strings.Join(names(), " "); !strings.HasSuffix(got, "w4 w3 w2 w1") {
		t.Errorf("beside a file without games, the games are %s", got)
	}
}
