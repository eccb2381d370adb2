package statefile

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/gofrs/flock"
)

// ErrInUse is in the chain of an error about a file that another process has locked.
var ErrInUse = errors.New("another zhbot is writing it: wait until it is done, or use another file")

// Lock keeps other processes that lock a file from writing it, until the lock is closed or
// the process ends. Anybody can read the file.
func Lock(path string) (io.Closer, error) {
	if runtime.GOOS == "windows" { // where nobody could read it
		path += ".lock"
	}
	lock := flock.New(path)
	switch locked, err := lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("lock: %w", err)
	case !locked:
		return nil, ErrInUse
	}
	return lock, nil
}
