package record

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// whiteNames reads a history and returns the names of White.
func whiteNames(t *testing.T, h *History) string {
	t.Helper()
	var list []string
	must(t, h.Read(t.Context(), func(f *FinishedGame) { list = append(list, f.White.Name) }))
	return strings.Join(list, " ")
}

const historyMoves = "\n1. e4 { [%clk 0:03:00] } 1... e5 1-0\n\n"

func TestHistory_Read(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bot[1]") // no pattern
	must(t, os.Mkdir(dir, 0o755))
	write := func(file, text string) {
		f, err := os.OpenFile(filepath.Join(dir, file), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	tag := func(name string) string { return fmt.Sprintf("[Event \"x\"]\n[White \"%s\"]\n", name) }
	h := NewHistory(dir)
	for _, step := range []struct {
		what string
		do   func()
		want string
	}{
		{"no file", func() {}, ""},
		{
			"two files",
			func() { write("2026-02.pgn", tag("b")+historyMoves); write("2026-01.pgn", tag("a")+historyMoves) }, "a b",
		},
		{"nothing new", func() {}, ""},
		{"one more", func() { write("2026-01.pgn", tag("c")+historyMoves) }, "c"},
		{"half of the tags", func() { write("2026-02.pgn", tag("d")[:20]) }, ""},
		{"the rest of them", func() { write("2026-02.pgn", tag("d")[20:]) }, ""},
		{"half of the moves", func() { write("2026-02.pgn", historyMoves[:20]) }, ""},
		{"the rest of it", func() { write("2026-02.pgn", historyMoves[20:]) }, "d"},
		{"a truncated game, terminated, and two more", func() {
			write("2026-02.pgn", tag("e")+"\n1. e4 { torn"+"}\n*\n\n"+tag("f")+historyMoves+tag("g")+"\n0-1\n\n")
		}, "e f g"},
		{
			"a game without result before another",
			func() { write("2026-02.pgn", tag("h")+"\n1. e4\n"+tag("i")+historyMoves) }, "h i",
		},
		{"a copy", func() { write("2026-02 copy.pgn", tag("b")+historyMoves) }, ""},
		{"text that is not a game", func() { write("2026-02.pgn", "\n\nhello\n\n"+historyMoves) }, ""},
		{"the folder made again, with a shorter file", func() {
			must(t, os.RemoveAll(dir))
			must(t, os.Mkdir(dir, 0o755))
			write("2026-02.pgn", tag("j")+historyMoves)
		}, "j"},
		{"again, with a longer one", func() {
			must(t, os.Rename(dir, dir+".old"))
			must(t, os.Mkdir(dir, 0o755))
			write("2026-02.pgn", tag("k")+historyMoves+tag("l")+historyMoves)
		}, "k l"},
	} {
		step.do()
		if got := whiteNames(t, h); got != step.want {
			t.Errorf("%s: %q, want %q", step.what, got, step.want)
		}
	}
	must(t, os.Mkdir(filepath.Join(dir, "2026-03.pgn"), 0o755))
	if err := h.Read(t.Context(), func(*FinishedGame) {}); err == nil {
		t.Error("no error for a folder named like a file")
	}
}

func TestHistory_Game(t *testing.T) {
	dir := t.TempDir()
	text := "[Event \"Rated Crazyhouse game\"]\n[White \"a \\\"b\\\" \\\\ c\"]\n[Variant \"Crazyhouse\"]\n" +
		"[Site \"https://lichess.org/aaaaaaaa\"]\n\n1. e4 d5 2. exd5 Qxd5 3. P@e4 1/2-1/2\n\n"
	path := filepath.Join(dir, "2026-01.pgn")
	fixture.Write(t, path, "[White \"first\"]\n"+historyMoves+text)
	var games []*FinishedGame
	must(t, NewHistory(dir).Read(t.Context(), func(f *FinishedGame) { games = append(games, f) }))
	if games = games[1:]; len(games) != 1 || games[0].White.Name != `a "b" \ c` || !games[0].Rated {
		t.Fatalf("games %+v", games)
	}
	for range 2 { // from memory, then from the file
		g, err := games[0].Game()
		if err != nil || g.Board.Ply() != games[0].Plies || g.Board.Ply() != 5 || g.Result != rules.Draw {
			t.Errorf("game %+v, %v", g, err)
		}
		games[0].Unload()
	}
	fixture.Write(t, path, strings.Replace(fixture.Read(t, path), "aaaaaaaa", "bbbbbbbb", 1))
	if g, err := games[0].Game(); err == nil {
		t.Errorf("read another game: %+v", g)
	}
}

// Whatever a file contains, each byte of it is read at most once.
func FuzzHistory(f *testing.F) {
	f.Add("[Event \"x\"]\n\n1. e4 1-0\n\n[Event \"y\"]\n\n1. d4 *", "\n\n")
	f.Add("hello\n[\n[White \"\\\"]\n1/2-1/2", "[Event \"y\"]\n\n*\n")
	f.Fuzz(func(t *testing.T, first, second string) {
		path := filepath.Join(t.TempDir(), "2026-01.pgn")
		h := NewHistory(filepath.Dir(path))
		read := 0
		for _, text := range []string{first, first + second} {
			fixture.Write(t, path, text)
			err := h.Read(t.Context(), func(f *FinishedGame) {
				at := strings.Index(text[read:], f.text)
				if at < 0 {
					t.Fatalf("game %q is not in the rest of the file", f.text)
				}
				read += at + len(f.text)
			})
			if err != nil {
				t.Fatal(err)
			}
			if n := h.offsets[path]; n > int64(len(text)) || n < int64(read) {
				t.Fatalf("%d bytes of %d read", n, len(text))
			}
		}
	})
}
