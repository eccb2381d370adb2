// Package file replaces files so that they survive a crash, locks them, keeps their owners,
// and has state files, from which an interrupted run can be resumed.
package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"
)

// ErrInUse is in the chain of an error about a file or folder that another process has
// locked.
var ErrInUse = errors.New("another zhbot is using it: stop it or wait until it is done, or name another")

// Lock keeps other processes that lock a file from writing it, until the lock is closed or
// the process ends. Anybody can read the file.
//
// What is locked is a hidden file beside it, which remains: on Windows and on CIFS mounts,
// a locked file can be read and written only through the descriptor that locked it. On a
// file system without locks, Lock does nothing.
//
// A symbolic link stands for the file that it leads to. A process that reaches the file by
// a hard link or a bind mount is not kept out.
func Lock(path string) (io.Closer, error) { return lock(lockFile(path)) }

// LockDir is like [Lock] for a folder, which must exist.
func LockDir(dir string) (io.Closer, error) {
	if err := createLock(dirLock(dir)); err != nil {
		return nil, err
	}
	return lock(dirLock(dir))
}

// StatDirLock describes the file that [LockDir] locks, nil without one. It is another one
// once the folder was removed or renamed.
func StatDirLock(dir string) fs.FileInfo {
	info, _ := os.Stat(dirLock(dir))
	return info
}

// DirInUse reports whether another process has locked a folder. It changes nothing there.
func DirInUse(dir string) bool {
	path := dirLock(dir)
	if !Exists(path) {
		return false
	}
	lock := flock.New(path)
	defer lock.Close() //nolint:errcheck // it is only asked
	return errors.Is(check(lock.TryRLock()), ErrInUse)
}

func dirLock(dir string) string { return filepath.Join(dir, ".lock") }

func lock(path string) (io.Closer, error) {
	lock := flock.New(path)
	if err := check(lock.TryLock()); err != nil {
		return nil, err
	}
	return lock, nil
}

// lockFile returns the path of the file to lock, and creates it if necessary. It is the
// file itself where there can be no other, such as in a read-only directory.
func lockFile(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	dir, name := filepath.Split(path)
	hidden := filepath.Join(dir, "."+name+".lock")
	if createLock(hidden) != nil {
		return path
	}
	return hidden
}

// createLock creates a file to lock if necessary: readable, since other users lock it too.
func createLock(path string) error {
	f, err := OpenOrCreate(path, os.O_RDONLY, 0o644)
	if err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	return f.Close()
}

// check returns the error for what TryLock returned. File systems refuse locks in various
// ways: NFS by ENOLCK, some in user space by EINVAL.
func check(locked bool, err error) error {
	switch {
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.EINVAL):
		return nil
	case err != nil:
		return fmt.Errorf("lock: %w", err)
	case !locked:
		return ErrInUse
	}
	return nil
}
