package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/zhbot/zhbot/rules/pgn"
)

// recentSize is how much of the end of an archive Recent reads: some hundred games.
const recentSize = 512 << 10

// Recent returns the games at the end of an archive, newest first. It takes the same time
// whatever the archive's size. A missing folder has no games.
func Recent(ctx context.Context, dir string) (games []Summary, err error) {
	files, err := monthFiles(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read records: %w", err)
	}
	left := int64(recentSize)
	for _, file := range slices.Backward(files) {
		month, size, err := readRecent(ctx, filepath.Join(dir, file), left)
		if err != nil {
			return nil, fmt.Errorf("read records: %w", err)
		}
		slices.Reverse(month)
		games = append(games, month...)
		if left -= size; left <= 0 {
			break
		}
	}
	return games, nil
}

// readRecent returns the games that begin in the last bytes of a file, and its size.
func readRecent(ctx context.Context, path string, maxSize int64) (games []Summary, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	if size, err = f.Seek(0, io.SeekEnd); err != nil {
		return nil, 0, err
	}
	start, err := pgn.NextGame(f, size-maxSize)
	if err != nil {
		return nil, 0, err
	}
	tail := io.NewSectionReader(f, start, size-start)
	err = readSummaries(ctx, tail, func(s *Summary) { games = append(games, *s) })
	return games, size, err
}
