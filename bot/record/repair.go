package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/rules/pgn"
)

// Repair is the removal of a truncated game from the end of a file.
type Repair struct {
	File  string // the name of the PGN file
	Bytes int    // moved to a file of the same name in the folder "torn"
}

const (
	monthLayout = "2006-01"
	tornDir     = "torn"
)

// monthFile matches the names of the files that this package writes; others in the
// folder are ignored.
var monthFile = regexp.MustCompile(`^\d{4,}-\d\d\.pgn$`)

// monthFileOf returns the name of the file that a game belongs to.
func monthFileOf(g *Game) string { return g.Created.UTC().Format(monthLayout) + ".pgn" }

// monthFiles returns the paths of the PGN files in a folder, oldest first. A missing
// folder has none.
func monthFiles(dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read records: %w", err)
	}
	for _, entry := range entries {
		if monthFile.MatchString(entry.Name()) {
			paths = append(paths, filepath.Join(dir, entry.Name()))
		}
	}
	return paths, nil
}

// repairAll removes truncated games from the files of a folder.
func repairAll(dir string) (repairs []Repair, err error) {
	files, err := monthFiles(dir)
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		n, err := repairFile(path)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			repairs = append(repairs, Repair{filepath.Base(path), n})
		}
	}
	return repairs, nil
}

// repairFile removes a truncated game from the end of a file and returns its length.
func repairFile(path string) (int, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	end, err := findEnd(f)
	if err != nil || len(end.truncated) == 0 {
		return 0, err
	}
	return len(end.truncated), moveToTorn(f, end)
}

// fileEnd is the end of a PGN file: size bytes of complete games, followed by a
// truncated one. The separator must precede the next game.
type fileEnd struct {
	size      int64
	truncated []byte
	separator string
}

// tailSize is how much of the end of a file is read first: more than any usual game.
const tailSize = 256 << 10

// findEnd finds the last complete game of a file.
func findEnd(f *os.File) (end fileEnd, err error) {
	info, err := f.Stat()
	if err != nil {
		return end, err
	}
	size := info.Size()
	for n := int64(tailSize); ; n *= 4 {
		if end.size, err = endOfGames(f, size-n); err != nil {
			return end, err
		}
		if end.size > 0 || n >= size {
			break
		}
	}
	if rest, err := readPart(f, end.size, size); err != nil {
		return end, err
	} else if len(bytes.TrimSpace(rest)) > 0 {
		end.truncated = rest
	} else {
		end.size = size
	}
	last, err := readPart(f, max(0, end.size-4), end.size) // as Windows ends two lines
	if breaks := bytes.Count(last[len(bytes.TrimRight(last, " \t\r\n")):], []byte{'\n'}); end.size > 0 && breaks < 2 {
		end.separator = "\n\n"[breaks:]
	}
	return end, err
}

// endOfGames returns where the last complete game ends of those that begin at or after an
// offset, 0 if there is none.
func endOfGames(f *os.File, from int64) (end int64, err error) {
	start, err := pgn.NextGame(f, from)
	if err != nil {
		return 0, err
	}
	for h, err := range pgn.Headers(io.NewSectionReader(f, start, math.MaxInt64-start)) {
		if err != nil {
			return 0, err
		}
		if !h.Truncated {
			end = start + h.End
		}
	}
	return end, nil
}

// readPart reads the bytes of a file from start to end.
func readPart(f *os.File, start, end int64) ([]byte, error) {
	text := make([]byte, end-start)
	_, err := f.ReadAt(text, start)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return text, err
}

// moveToTorn moves the truncated end of a file to the folder "torn", where it can be
// inspected.
func moveToTorn(f *os.File, end fileEnd) error {
	dir, name := filepath.Split(f.Name())
	if err := saveTorn(filepath.Join(dir, tornDir), name, end.truncated); err != nil {
		return fmt.Errorf("save a truncated game: %w", err)
	}
	if err := f.Truncate(end.size); err != nil {
		return fmt.Errorf("remove a truncated game: %w", err)
	}
	return f.Sync()
}

func saveTorn(dir, name string, truncated []byte) error {
	if err := makeFolder(dir); err != nil {
		return err
	}
	path := filepath.Join(dir, name)
	saved, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return file.Replace(path, slices.Concat(saved, truncated, []byte("\n\n")), 0o644, (*os.File).Sync)
}

// makeFolder creates a folder, unless it exists, that belongs to the owner of the one it
// is in: root may repair the records of a service.
func makeFolder(dir string) error {
	err := os.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	parent, name := filepath.Dir(dir), filepath.Base(dir)
	f, err := os.OpenInRoot(parent, name) // follows no link to elsewhere
	if err != nil {
		return err
	}
	defer f.Close()
	return file.KeepOwner(f, parent)
}
