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

// Repair is what Open has moved away: a truncated game from the end of a file, or a file.
type Repair struct {
	File  string // its name
	Bytes int    // of the game, moved to the file beside it if there is no error
	Err   error  // why the file cannot be used or repaired, and its new name if it has one
}

const (
	monthLayout     = "2006-01"
	truncatedSuffix = ".torn" // of the file with the truncated games of another
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
		if entry.Type() != fs.ModeNamedPipe && monthFile.MatchString(entry.Name()) {
			paths = append(paths, filepath.Join(dir, entry.Name()))
		}
	}
	return paths, nil
}

// repairNewest removes a truncated game from the end of the newest file of a folder, unless
// the file can only be read. Any other is repaired before a game is added to it, and so is this one
// after an error.
func repairNewest(dir string) []Repair {
	files, err := monthFiles(dir)
	r := Repair{File: dir, Err: err}
	if len(files) > 0 {
		f, err := os.OpenFile(files[len(files)-1], os.O_RDWR, 0)
		if err != nil {
			return nil // a game that belongs there waits, with the reason
		}
		defer f.Close()
		end, err := repairEnd(f)
		r = Repair{filepath.Base(f.Name()), len(end.truncated), err}
	}
	if r.Err == nil && r.Bytes == 0 {
		return nil
	}
	return []Repair{r}
}

// repairEnd finds the last complete game of a file, and moves what is truncated after it
// to a file beside it, where it can be inspected.
func repairEnd(f *os.File) (end fileEnd, err error) {
	if end, err = findEnd(f); err != nil || len(end.truncated) == 0 {
		return end, err
	}
	if err := saveTruncated(f.Name()+truncatedSuffix, end.truncated); err != nil {
		return end, fmt.Errorf("save a truncated game: %w", err)
	}
	if err := f.Truncate(end.size); err != nil {
		return end, fmt.Errorf("remove a truncated game: %w", err)
	}
	return end, f.Sync()
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
	if end.size > 0 {
		end.separator = separatorAfter(last)
	}
	return end, err
}

// separatorAfter returns what is missing for an empty line after a text.
func separatorAfter(text []byte) string {
	breaks := bytes.Count(text[len(bytes.TrimRight(text, " \t\r\n")):], []byte{'\n'})
	return "\n\n"[min(breaks, 2):]
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

// saveTruncated adds a truncated game to those that were removed from a file before.
func saveTruncated(path string, truncated []byte) error {
	saved, err := file.ReadRegular(path, file.MaxSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return file.Replace(path, slices.Concat(saved, truncated, []byte("\n\n")), 0o644)
}
