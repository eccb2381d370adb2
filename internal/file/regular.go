package file

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// ErrNotRegular is in the chain of [ReadRegular]'s error about what is no regular file, or one
// that is too long.
var ErrNotRegular = errors.New("not a regular file")

// ReadRegular returns the content of a regular file of at most limit bytes. Anything else
// is an [ErrNotRegular], and nothing is waited for: to open a FIFO would block.
func ReadRegular(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unfit := &os.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w of at most %d bytes", ErrNotRegular, limit)}
	switch info, err := f.Stat(); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > limit:
		return nil, unfit
	}
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if int64(len(content)) > limit {
		return nil, unfit
	}
	return content, err
}

// Exists reports whether there is a file or a folder with a path.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Same reports whether two paths lead to one file.
func Same(a, b string) bool {
	first, err := os.Stat(a)
	second, errSecond := os.Stat(b)
	return err == nil && errSecond == nil && os.SameFile(first, second)
}
