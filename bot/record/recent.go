package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
		tail, size, err := readTail(filepath.Join(dir, file), left)
		if err != nil {
			return nil, fmt.Errorf("read records: %w", err)
		}
		var month []Summary
		_ = readSummaries(ctx, bytes.NewReader(tail), func(s *Summary) { month = append(month, *s) }) // up to a truncated one
		slices.Reverse(month)
		games = append(games, month...)
		if left -= size; left <= 0 {
			break
		}
	}
	return games, nil
}

// readTail returns the whole games in the last bytes of a file, and the file's size.
func readTail(path string, maxSize int64) (games []byte, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	if size, err = f.Seek(0, io.SeekEnd); err != nil {
		return nil, 0, err
	}
	tail := make([]byte, min(size, maxSize))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	if int64(len(tail)) == size {
		return tail, size, nil
	}
	start := bytes.Index(tail, []byte("\n\n[")) // the game before it is cut
	if start < 0 {
		return nil, size, nil
	}
	return tail[start+2:], size, nil
}
