package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/zhbot/zhbot/rules/pgn"
)

// History reads the games of an archive while it grows: each call of Read visits the
// games added since the call before. It reads the PGN files only, and parses no more
// of a game than its summary until FinishedGame.Game is called. A file that was replaced, such
// as in a folder that was made again, is read from its beginning. It is not safe for
// concurrent use.
type History struct {
	dir     string
	offsets map[string]int64       // bytes read, by file
	files   map[string]fs.FileInfo // as they were then
}

// NewHistory returns the history of an archive's folder.
func NewHistory(dir string) *History {
	return &History{dir: dir, offsets: map[string]int64{}, files: map[string]fs.FileInfo{}}
}

// FinishedGame is a game of an archive whose moves are not parsed yet.
type FinishedGame struct {
	Summary
	Plies int
	text  string // "" after Unload

	path       string // the file that has it, from start to end
	start, end int64
}

// Unload frees the game's text, for those who keep many. Game reads it again from its file,
// to which games may only be added until then.
func (f *FinishedGame) Unload() { f.text = "" }

// Game parses the whole game, moves included. If some of it cannot be read, it returns what can
// be, up to the first such move, and an error.
func (f *FinishedGame) Game() (*Game, error) {
	g, err := f.parse()
	if err != nil {
		name := cmp.Or(f.ID, fmt.Sprintf("at byte %d", f.start))
		err = fmt.Errorf("read game %s of %s: %w", name, f.path, err)
	}
	return g, err
}

func (f *FinishedGame) parse() (*Game, error) {
	source := f.text
	if source == "" {
		file, err := os.Open(f.path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		part, err := readPart(file, f.start, f.end)
		if err != nil {
			return nil, err
		}
		source = string(part)
	}
	text, err := pgn.NewReader(strings.NewReader(source)).Next()
	if bad, ok := errors.AsType[*pgn.GameError](err); ok {
		err = bad.Err // its number and line are those in this text
	}
	if err != nil {
		return nil, err
	}
	if len(text.Warnings) > 0 {
		err = text.Warnings[0].Err
	}
	g := parseGame(text)
	if g.ID != f.ID {
		return nil, errors.New("the file has another game there")
	}
	return g, err
}

// Read calls visit for each game that was added since the last call, oldest file
// first. A missing folder has no games.
func (h *History) Read(ctx context.Context, visit func(*FinishedGame)) error {
	files, err := monthFiles(h.dir)
	if err != nil {
		return err
	}
	return h.readFiles(ctx, files, visit)
}

// readFiles continues each file after the last complete game of the call before: a game that
// is being written is left to the next call.
func (h *History) readFiles(ctx context.Context, paths []string, visit func(*FinishedGame)) error {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			if info.Size() < h.offsets[path] || !os.SameFile(info, h.files[path]) {
				h.offsets[path] = 0
			}
			h.files[path] = info
		}
		err := scan(ctx, path, h.offsets[path], func(g *FinishedGame, header *pgn.Header) error {
			if header.Truncated {
				return nil
			}
			if len(header.Tags) > 0 {
				visit(g)
			}
			h.offsets[path] = header.End
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
