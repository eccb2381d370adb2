package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/zhbot/zhbot/rules/pgn"
)

// Repair says what was wrong with the end of a file, and has been cut off.
type Repair struct {
	File  string // the name of the PGN file
	Bytes int    // moved to a file of the same name in the folder torn
}

const (
	monthLayout = "2006-01"
	tornDir     = "torn"
)

// ours are the files that this package writes; others in the folder are left
// alone.
var ours = regexp.MustCompile(`^\d{4,}-\d\d\.pgn$`)

// mendAll cuts off what a crash has torn in the files of a folder.
func mendAll(dir string) (repairs []Repair, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if !ours.MatchString(entry.Name()) {
			continue
		}
		n, err := mend(dir, entry.Name())
		if err != nil {
			return nil, err
		}
		if n > 0 {
			repairs = append(repairs, Repair{entry.Name(), n})
		}
	}
	return repairs, nil
}

// mend cuts a torn game off the end of a file and returns its length.
func mend(dir, name string) (int, error) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	end, err := findEnd(f)
	if err != nil || len(end.torn) == 0 {
		return 0, err
	}
	return len(end.torn), cut(f, dir, end)
}

// fileEnd is the end of a PGN file: after keep bytes of whole games stand only
// the torn ones. The gap must come before the next game.
type fileEnd struct {
	keep int64
	torn []byte
	gap  string
}

// firstLook is how much of a file's end is read at first: more than a game has.
const firstLook = 256 << 10

// findEnd looks for the last whole game of a file.
func findEnd(f *os.File) (fileEnd, error) {
	info, err := f.Stat()
	if err != nil {
		return fileEnd{}, err
	}
	size := info.Size()
	for look := int64(firstLook); ; look *= 4 {
		tail := make([]byte, min(size, look))
		if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
			return fileEnd{}, err
		}
		whole := wholeGames(tail)
		if whole == 0 && int64(len(tail)) < size {
			continue
		}
		return endAt(size-int64(len(tail)), tail, whole), nil
	}
}

// endAt describes a file's end, given its tail from an offset on, and how much
// of that is whole games.
func endAt(offset int64, tail []byte, whole int) fileEnd {
	rest := tail[whole:]
	if len(bytes.TrimSpace(rest)) > 0 {
		end := fileEnd{keep: offset + int64(whole), torn: rest}
		if end.keep > 0 {
			end.gap = "\n\n"
		}
		return end
	}
	end := fileEnd{keep: offset + int64(len(tail))}
	if breaks := bytes.Count(rest, []byte{'\n'}); end.keep > 0 && breaks < 2 {
		end.gap = "\n\n"[breaks:]
	}
	return end
}

// wholeGames returns where the last whole game of a text ends, 0 if there is
// none.
func wholeGames(text []byte) int {
	for end := len(text); end >= 0; {
		start := bytes.LastIndexByte(text[:end], '\n') + 1
		if endsGame(text[start:end]) {
			return end
		}
		end = start - 1
	}
	return 0
}

var results = []string{pgn.WhiteWins, pgn.BlackWins, pgn.Draw, pgn.Unknown}

// endsGame reports whether a line is the last of a game: it ends with a result
// that is neither a tag's nor a comment's.
func endsGame(line []byte) bool {
	words := bytes.Fields(line)
	return len(words) > 0 && line[0] != '[' && slices.Contains(results, string(words[len(words)-1])) &&
		bytes.LastIndexByte(line, '{') <= bytes.LastIndexByte(line, '}')
}

// cut moves the torn end of a file to a file of its own, for whoever wants to
// know what it was.
func cut(f *os.File, dir string, end fileEnd) error {
	if err := keepTorn(filepath.Join(dir, tornDir), filepath.Base(f.Name()), end.torn); err != nil {
		return fmt.Errorf("keep a torn game: %w", err)
	}
	if err := f.Truncate(end.keep); err != nil {
		return fmt.Errorf("cut off a torn game: %w", err)
	}
	return f.Sync()
}

func keepTorn(dir, name string, torn []byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(slices.Clip(torn), "\n\n"...))
	return errors.Join(err, f.Sync(), f.Close())
}
