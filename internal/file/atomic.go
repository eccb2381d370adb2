package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
)

// Replace replaces or creates a file: after a crash it has either the old or the new
// content. If root replaces a file, its owner stays the same.
func Replace(path string, content []byte, mode fs.FileMode) error {
	return ReplaceSynced(path, content, mode, (*os.File).Sync)
}

// ReplaceSynced is like [Replace] with a function that syncs the content.
func ReplaceSynced(path string, content []byte, mode fs.FileMode, sync func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	if _, err = f.Write(content); err == nil {
		err = sync(f)
	}
	err = errors.Join(err, f.Chmod(mode), keepOwner(f, path), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return SyncDir(filepath.Dir(path))
}

// CheckWritable returns an error if [Replace] could not write a file, before long work for it.
func CheckWritable(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// SyncDir syncs a folder, so that a new file's name survives a crash. Windows
// cannot and need not do this.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// OpenOrCreate is like [os.OpenFile] with O_CREATE. What root creates is the folder's owner's, if
// possible.
func OpenOrCreate(path string, flag int, mode fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return os.OpenFile(path, flag|os.O_CREATE, mode)
	}
	_ = keepOwner(f, filepath.Dir(path))
	return f, nil
}

// MakeDir is like [os.MkdirAll], and returns the folders that were missing, the innermost first.
// What root makes is the owner's of the folder around it, if possible.
func MakeDir(dir string) (missing []string, err error) {
	for d := dir; !Exists(d) && d != filepath.Dir(d); d = filepath.Dir(d) {
		missing = append(missing, d)
	}
	err = os.MkdirAll(dir, 0o755)
	for _, d := range slices.Backward(missing) {
		if f, err := os.Open(d); err == nil {
			_ = keepOwner(f, filepath.Dir(d))
			f.Close()
		}
	}
	return missing, err
}

// Append appends an entry to a file, which it creates with the mode if necessary, and syncs it.
// If the disk is full, the file ends where it did. It does not wait for the reader of a FIFO.
func Append(path string, content []byte, mode fs.FileMode) error {
	f, err := OpenOrCreate(path, os.O_APPEND|os.O_WRONLY|syscall.O_NONBLOCK, mode)
	if err != nil {
		return err
	}
	if _, err = Whole(f).Write(content); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
