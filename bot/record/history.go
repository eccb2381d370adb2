package record

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/zhbot/zhbot/rules/pgn"
)

// History reads the games of an archive while it grows: each call of Read visits the
// games added since the call before. It reads the PGN files only, and parses no more
// of a game than its summary until FinishedGame.Game is called. It is not safe for
// concurrent use.
type History struct {
	dir     string
	offsets map[string]int64 // bytes read, by file
}

// NewHistory returns the history of an archive's folder.
func NewHistory(dir string) *History { return &History{dir: dir, offsets: map[string]int64{}} }

// FinishedGame is a game of an archive whose moves are not parsed yet.
type FinishedGame struct {
	Summary
	text string
}

// Game parses the whole game, moves included.
func (f *FinishedGame) Game() (*Game, error) {
	text, err := pgn.NewReader(strings.NewReader(f.text)).Next()
	if err != nil {
		return nil, fmt.Errorf("read game %s: %w", f.ID, err)
	}
	return parseGame(text), nil
}

// Read calls visit for each game that was added since the last call, oldest file
// first. A missing folder has no games.
func (h *History) Read(ctx context.Context, visit func(*FinishedGame)) error {
	files, err := monthFiles(h.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read records: %w", err)
	}
	for _, name := range files {
		if err := h.readFile(ctx, filepath.Join(h.dir, name), visit); err != nil {
			return fmt.Errorf("read records: %w", err)
		}
	}
	return nil
}

// readFile continues after the last complete game of the call before: a game that is
// being written is left to the next call.
func (h *History) readFile(ctx context.Context, file string, visit func(*FinishedGame)) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Seek(h.offsets[file], io.SeekStart); err != nil {
		return err
	}
	in, headers := bufio.NewReaderSize(f, bufferSize), newHeaderReader()
	for ctx.Err() == nil {
		text, complete, err := readGame(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if !complete {
			return nil
		}
		h.offsets[file] += int64(len(text))
		if summary, ok := headers.summary(text); ok {
			visit(&FinishedGame{summary, string(text)})
		}
	}
	return ctx.Err()
}

// bufferSize is that of the reader of headers, so that it needs no buffer of its own.
const bufferSize = 64 << 10

// headerReader reads the headers of single games.
type headerReader struct{ in *bufio.Reader }

func newHeaderReader() headerReader { return headerReader{bufio.NewReaderSize(nil, bufferSize)} }

// summary summarises a game by its text; ok is false if it has no tags.
func (r headerReader) summary(text []byte) (s Summary, ok bool) {
	r.in.Reset(bytes.NewReader(text))
	for h, err := range pgn.Headers(r.in) {
		if err == nil && len(h.Tags) > 0 {
			return summaryOf(h, h.Result, isMate(h.Last)), true
		}
		break
	}
	return Summary{}, false
}

// readGame reads the text of the next game, which ends before the tags of the next
// one or, at the end of the file, with a result.
func readGame(in *bufio.Reader) (text []byte, complete bool, err error) {
	inMoves := false
	for {
		next, err := in.Peek(1)
		if err != nil || inMoves && next[0] == '[' {
			return text, inMoves && (err == nil || endsInResult(text[max(0, len(text)-16):])), err
		}
		line, err := in.ReadBytes('\n')
		text = append(text, line...)
		if err != nil {
			return text, false, err // an incomplete line
		}
		inMoves = inMoves || line[0] != '[' && len(bytes.TrimSpace(line)) > 0
	}
}
