package uci

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// bookFile writes a book in which White castles kingside where possible, and else plays
// a4.
func bookFile(t *testing.T) (path string) {
	t.Helper()
	counter := book.NewCounter(1)
	for fen, uci := range map[string]string{
		castles: "e1h1", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1": "a2a4",
	} {
		p := rulestest.Position(t, fen)
		m := rulestest.Move(t, &p, uci)
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
	tests := []struct {
		name, commands string
		book           bool   // whether the move is from the book
		move           string // the book move
	}{
		{"off", "setoption name BookFile value %s\ngo nodes 50", false, ""},
		{"on", "setoption name BookFile value %s\nsetoption name OwnBook value true\ngo nodes 50", true, "a2a4"},
		{"on the clock", "setoption name BookFile value %s\nsetoption name OwnBook value true\ngo wtime 1000 btime 1000", true, "a2a4"},
		{"castling", "setoption name BookFile value %s\nsetoption name OwnBook value true\nposition fen " + castles + "\ngo depth 1", true, "e1g1"},
		{"castling as in Chess960", "setoption name UCI_Chess960 value true\nsetoption name BookFile value %s\nsetoption name OwnBook value true\nposition fen " + castles + "\ngo depth 1", true, "e1h1"},
		{"without end", "setoption name BookFile value %s\nsetoption name OwnBook value true\ngo infinite\nstop", false, ""},
		{"other moves only", "setoption name BookFile value %s\nsetoption name OwnBook value true\ngo depth 1 searchmoves e2e4", false, ""},
		{"out of book", "setoption name BookFile value %s\nsetoption name OwnBook value true\nposition startpos moves h2h4\ngo depth 1", false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lines := runCommands(t, fmt.Sprintf(tt.commands, path)+"\nquit\n")
			if found := slices.Contains(lines, fromBook); found != tt.book {
				t.Errorf("from the book: %t, want %t:\n%s", found, tt.book, strings.Join(lines, "\n"))
			}
			last := lines[len(lines)-1]
			if !strings.HasPrefix(last, "bestmove ") || tt.book && last != "bestmove "+tt.move {
				t.Errorf("answer %q, want bestmove %s", last, tt.move)
			}
		})
	}
}

// Without a file, OwnBook uses the embedded book.
func TestServer_OwnBook(t *testing.T) {
	b, err := book.Open(book.Embedded)
	if err != nil {
		t.Fatal(err)
	}
	start := rules.StartPosition()
	var moves []string
	for _, m := range b.Moves(&start) {
		moves = append(moves, "bestmove "+m.Move.String())
	}
	lines := runCommands(t, "setoption name OwnBook value true\ngo nodes 50\nquit\n")
	if last := lines[len(lines)-1]; !slices.Contains(moves, last) {
		t.Errorf("answer %q, want one of %q", last, moves)
	}
}

func TestServer_BadBook(t *testing.T) {
	lines := runCommands(t, "setoption name BookFile value none.bin\nsetoption name OwnBook value maybe\ngo nodes 50\nquit\n")
	text := strings.Join(lines, "\n")
	for _, want := range []string{"setoption BookFile: open book: open none.bin", "setoption OwnBook: value \"maybe\": want true or false", "bestmove "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
