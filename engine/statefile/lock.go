package statefile

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"
)

// ErrInUse is in the chain of an error about a file that another process has locked.
var ErrInUse = errors.New("another zhbot is writing it: wait until it is done, or use another file")

// Lock keeps other processes that lock a file from writing it, until the lock is closed or
// the process ends. Anybody can read the file.
//
// What is locked is a hidden file beside it, which remains: on Windows and on network file
// systems, a locked file can be read and written only through the descriptor that locked
// it. Where there are no locks, nothing is locked.
func Lock(path string) (io.Closer, error) {
	dir, name := filepath.Split(path)
	lock := flock.New(filepath.Join(dir, "."+name+".lock"))
	if err := check(lock.TryLock()); err != nil {
		return nil, err
	}
	return lock, nil
}

// check returns the error for what TryLock returned.
func check(locked bool, err error) error {
	switch {
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK): // ENOLCK on NFS
		return nil
	case err != nil:
		return fmt.Errorf("lock: %w", err)
	case !locked:
		return ErrInUse
	}
	return nil
}
