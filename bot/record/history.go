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

// History reads the games of an archive back while it grows: each call of Read
// brings those that were added since the one before. It reads the PGN and
// nothing else, and only the tags of a game until its moves are asked for.
type History struct {
	dir  string
	read map[string]int64 // bytes of each file
}

// NewHistory returns the history of an archive's folder.
func NewHistory(dir string) *History { return &History{dir: dir, read: map[string]int64{}} }

// FinishedGame is a game of an archive whose moves are not parsed yet.
type FinishedGame struct {
	Tags map[string]string
	text string
}

// Game parses the whole game, moves included.
func (f *FinishedGame) Game() (*pgn.Game, error) {
	return pgn.NewReader(strings.NewReader(f.text)).Next()
}

// Read calls take for each game that was added since the last call, the oldest
// file first. A folder that is not there has no games.
func (h *History) Read(ctx context.Context, take func(*FinishedGame)) error {
	files, err := filepath.Glob(filepath.Join(h.dir, "*.pgn"))
	if err != nil {
		return fmt.Errorf("read records: %w", err)
	}
	slices.Sort(files)
	for _, file := range files {
		if err := h.readFile(ctx, file, take); err != nil {
			return fmt.Errorf("read records: %w", err)
		}
	}
	return nil
}

// readFile reads on where the last call stopped: after a game's end, so that a
// game which is being written is read next time.
func (h *History) readFile(ctx context.Context, file string, take func(*FinishedGame)) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Seek(h.read[file], io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReaderSize(f, 64<<10)
	for ctx.Err() == nil {
		text, whole, err := readGame(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if !whole {
			return nil
		}
		h.read[file] += int64(len(text))
		if tags := readTags(text); len(tags) > 0 {
			take(&FinishedGame{tags, string(text)})
		}
	}
	return ctx.Err()
}

// readGame reads the text of the next game, which ends before the tags of
// another or with a result.
func readGame(in *bufio.Reader) (text []byte, whole bool, err error) {
	moves := false
	for {
		next, err := in.Peek(1)
		if err != nil || moves && next[0] == '[' {
			return text, moves && (err == nil || endsInResult(text)), err
		}
		line, err := in.ReadBytes('\n')
		text = append(text, line...)
		if err != nil {
			return text, false, err // a line that is being written
		}
		moves = moves || line[0] != '[' && len(bytes.TrimSpace(line)) > 0
	}
}

func endsInResult(text []byte) bool {
	words := bytes.Fields(text[max(0, len(text)-16):])
	if len(words) == 0 {
		return false
	}
	return slices.Contains(results, string(words[len(words)-1]))
}

// unescape undoes what PGN does to quotes in a tag.
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
