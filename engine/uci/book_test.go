package uci

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// bookFile writes a book in which White castles kingside where possible, and else plays
// a4.
func bookFile(t *testing.T) (path string) {
	t.Helper()
	counter := book.NewCounter(1)
	for fen, uci := range map[string]string{
		castles: "e1h1", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1": "a2a4",
	} {
		p := fixture.Position(t, fen)
		m := fixture.Move(t, &p, uci)
		counter.Add(&p, []rules.Move{m}, rules.WhiteWins)
	}
	b, err := counter.Table(1, "")
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "a book.zhbk")
	if err := b.Save(path); err != nil {
		t.Fatal(err)
	}
	return path
}

const castles = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R[] w KQkq - 0 1"

func TestServer_Book(t *testing.T) {
	path := bookFile(t)
	const fromBook = "info string book move, weight 2"
	for _, tt := range []struct {
		name, own, commands string
		move                string // "" if it is not from the book
	}{
		{"off", "false", "go nodes 50", ""},
		{"on", "true", "go nodes 50", "a2a4"},
		{"on the clock", "true", "go wtime 1000 btime 1000", "a2a4"},
		{"castling", "true", "position fen " + castles + "\ngo depth 1", "e1g1"},
		{"without end", "true", "go infinite\nstop", ""},
		{"other moves only", "true", "go depth 1 searchmoves e2e4", ""},
		{"out of book", "true", "position startpos moves h2h4\ngo depth 1", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			commands := "setoption name BookFile value " + path + "\nsetoption name OwnBook value " + tt.own + "\n"
			lines := runCommands(t, commands+tt.commands+"\nquit\n")
			if found := slices.Contains(lines, fromBook); found != (tt.move != "") {
				t.Errorf("from the book: %t:\n%s", found, strings.Join(lines, "\n"))
			}
			last := lines[len(lines)-1]
			if !strings.HasPrefix(last, "bestmove ") || tt.move != "" && last != "bestmove "+tt.move {
				t.Errorf("answer %q, want bestmove %s", last, tt.move)
			}
		})
	}
}

func TestServer_BadBook(t *testing.T) {
	lines := runCommands(t, "setoption name BookFile value none.bin\nsetoption name OwnBook value maybe\ngo nodes 50\n")
	text := strings.Join(lines, "\n")
	for _, want := range []string{
		"setoption BookFile: open book: open none.bin",
		"setoption OwnBook: value \"maybe\": want true or false", "bestmove ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
