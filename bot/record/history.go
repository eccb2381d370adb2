package record

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zhbot/zhbot/rules/pgn"
)

// History reads the games of an archive while it grows: each call of Read visits the
// games added since the call before. It reads the PGN files only, and parses no more
// of a game than its tags until FinishedGame.Game is called.
type History struct {
	dir     string
	offsets map[string]int64 // bytes read, by file
}

// NewHistory returns the history of an archive's folder.
func NewHistory(dir string) *History { return &History{dir: dir, offsets: map[string]int64{}} }

// FinishedGame is a game of an archive whose moves are not parsed yet.
type FinishedGame struct {
	Tags map[string]string
	text string
}

// Game parses the whole game, moves included.
func (f *FinishedGame) Game() (*pgn.Game, error) {
	return pgn.NewReader(strings.NewReader(f.text)).Next()
}

// Read calls visit for each game that was added since the last call, oldest file
// first. A missing folder has no games.
func (h *History) Read(ctx context.Context, visit func(*FinishedGame)) error {
	files, err := filepath.Glob(filepath.Join(h.dir, "*.pgn"))
	if err != nil {
		return fmt.Errorf("read records: %w", err)
	}
	slices.Sort(files)
	for _, file := range files {
		if err := h.readFile(ctx, file, visit); err != nil {
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
	in := bufio.NewReaderSize(f, 64<<10)
	for ctx.Err() == nil {
		text, complete, err := readGame(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if !complete {
			return nil
		}
		h.offsets[file] += int64(len(text))
		if tags := readTags(text); len(tags) > 0 {
			visit(&FinishedGame{tags, string(text)})
		}
	}
	return ctx.Err()
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

// unescape replaces the escape sequences of a PGN tag value.
var unescape = strings.NewReplacer(`\"`, `"`, `\\`, `\`)

func readTags(text []byte) map[string]string {
	tags := map[string]string{}
	for line := range bytes.Lines(text) {
		name, rest, found := strings.Cut(strings.TrimSpace(string(line)), " ")
		if !strings.HasPrefix(name, "[") {
			if len(tags) > 0 {
				return tags
			}
			continue
		}
		value, closed := strings.CutSuffix(strings.TrimSpace(rest), `"]`)
		value, opened := strings.CutPrefix(value, `"`)
		if found && closed && opened {
			tags[name[1:]] = unescape.Replace(value)
		}
	}
	return tags
}
