package book

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/zhbot/zhbot/rules"
)

// Move is a move that a book has for a position.
type Move struct {
	Move   rules.Move
	Weight int // how often to play it, beside the others' weights; more than 0
	Score  int // centipawns for the side to move, 0 if the book does not say
	Games  int // that it was played in, 0 if the book does not say
}

// Book is a collection of moves by position. It may be used concurrently.
type Book interface {
	// Moves returns the moves for a position, all of them legal, the heaviest
	// first; none if the position is not in the book.
	Moves(p *rules.Position) []Move
	// Len returns the number of entries, a move in a position each.
	Len() int
	// String names kind and size.
	String() string
}

// ErrBadBook is in the chain of every error about the content of a book.
var ErrBadBook = errors.New("not a usable opening book")

// maxFile bounds what is read of a book: it is held in memory.
const maxFile = 1 << 29

// Embedded is the name of the book in the program, where a file is asked for.
const Embedded = "embedded"

// Open reads the book in a file, or the one in the program for [Embedded].
func Open(path string) (Book, error) {
	if path == Embedded {
		return openDefault()
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open book: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read book %s: %w", path, err)
	}
	b, err := parse(path, data)
	if err != nil {
		return nil, fmt.Errorf("book %s: %w", path, err)
	}
	return b, nil
}

// parse tells by its content what kind of book a file is. A Polyglot book has
// no mark, only a name that ends in .bin and a length that fits.
func parse(path string, data []byte) (Book, error) {
	switch {
	case len(data) > maxFile:
		return nil, fmt.Errorf("%w: it has more than %d MiB; use a smaller one", ErrBadBook, maxFile>>20)
	case bytes.HasPrefix(data, []byte(tableMagic)):
		return parseTable(data)
	case strings.EqualFold(filepath.Ext(path), ".bin"):
		return parsePolyglot(data)
	}
	return nil, fmt.Errorf("%w: it does not begin with %q as \"zhbot book build\" writes, and its name does not end in .bin as a Polyglot book's does",
		ErrBadBook, tableMagic)
}
