package book

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/zhbot/zhbot/rules"
)

// Move is a book move for a position.
type Move struct {
	Move   rules.Move
	Weight int // relative frequency, more than 0
	Score  int // centipawns for the side to move, 0 if unknown
	Games  int // in which it was played, 0 if unknown
}

// Book is a collection of moves by position. It is safe for concurrent use.
type Book interface {
	// Moves returns the moves for a position, all of them legal, by decreasing weight;
	// none if the position is not in the book. The slice is the caller's.
	Moves(p *rules.Position) []Move
	// Len returns the number of entries, one for each move of each position.
	Len() int
	// Hash identifies the entries.
	Hash() string
	// String returns the kind and the size of the book.
	String() string
}

// hash returns the hash of a book's entries.
func hash(entries []byte) string { return fmt.Sprintf("%.6x", sha256.Sum256(entries)) }

// ErrBadBook is in the chain of every error about the content of a book.
var ErrBadBook = errors.New("not a usable opening book")

// maxFile limits the size of a book, in bytes: it is held in memory.
const maxFile = 1 << 29

// Embedded is the name of the embedded book, used in place of a file's path.
const Embedded = "embedded"

// Open opens the book in a file, or the embedded one for [Embedded]. Errors about the
// content of a file wrap [ErrBadBook].
func Open(path string) (Book, error) {
	if path == Embedded {
		return openEmbedded()
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

// parse detects the kind of a book by its content. A Polyglot book has no magic number,
// only the suffix .bin and a size that fits.
func parse(path string, data []byte) (Book, error) {
	switch {
	case len(data) > maxFile:
		return nil, fmt.Errorf("%w: it has more than %d MiB; use a smaller one", ErrBadBook, maxFile>>20)
	case bytes.HasPrefix(data, []byte(tableMagic)):
		return parseTable(data)
	case strings.EqualFold(filepath.Ext(path), ".bin"):
		return parsePolyglot(data)
	}
	return nil, fmt.Errorf("%w: it does not begin with %q, which \"zhbot book build\" writes, "+
		"nor does its name end in .bin, as a Polyglot book's", ErrBadBook, tableMagic)
}
