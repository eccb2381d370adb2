package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/zhbot/zhbot/rules/pgn"
)

// Archive is a folder of PGN files, one a month. It is safe for concurrent
// use; one program at a time writes to it.
type Archive struct {
	dir     string
	mu      sync.Mutex
	pending []pending // games that could not be written yet
}

// pending is a game as text, and the file it goes to.
type pending struct{ file, text string }

// maxPending bounds the games kept in memory while the disk refuses them.
const maxPending = 1000

// Open returns the archive in a folder, which it creates.
func Open(dir string) (*Archive, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open records: %w", err)
	}
	return &Archive{dir: dir}, nil
}

// Save appends a game to the file of the month it began in and waits until it
// is on disk. A game that can not be written is kept, and written before the
// next one.
func (a *Archive) Save(g *Game) error {
	var text strings.Builder
	if _, err := g.PGN().WriteTo(&text); err != nil {
		return fmt.Errorf("save game %s: %w", g.ID, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.pending) == maxPending {
		a.pending = a.pending[1:]
	}
	a.pending = append(a.pending, pending{g.Created.UTC().Format("2006-01") + ".pgn", text.String()})
	for len(a.pending) > 0 {
		if err := a.write(a.pending[0]); err != nil {
			return fmt.Errorf("save game %s (%d wait for the disk): %w", g.ID, len(a.pending), err)
		}
		a.pending = a.pending[1:]
	}
	return nil
}

// torn ends what a crash has left of a game, an open comment included, so that
// no reader takes the next game for a part of it.
const torn = "}\n*\n\n"

// write appends to a file, all or nothing.
func (a *Archive) write(p pending) error {
	f, err := os.OpenFile(filepath.Join(a.dir, p.file), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	gap, err := gapAfter(f, end)
	if err != nil {
		return err
	}
	if _, err = f.WriteString(gap + p.text); err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Truncate(end))
	}
	if end == 0 {
		return syncDir(a.dir) // the file is new
	}
	return nil
}

// gapAfter returns what must stand between a file of some size and the next game.
func gapAfter(f io.ReaderAt, size int64) (string, error) {
	tail := make([]byte, min(size, 16))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	words := strings.Fields(string(tail))
	switch {
	case len(words) == 0:
		return "", nil
	case !slices.Contains([]string{pgn.WhiteWins, pgn.BlackWins, pgn.Draw, pgn.Unknown}, words[len(words)-1]):
		return torn, nil
	case !strings.HasSuffix(string(tail), "\n\n"):
		return "\n\n", nil
	}
	return "", nil
}

// syncDir makes a new file's name last.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
