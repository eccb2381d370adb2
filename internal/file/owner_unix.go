//go:build unix

package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// IsOwnedBy reports whether a file belongs to the user with an id.
func IsOwnedBy(info fs.FileInfo, uid int) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == uid
}

// keepOwner gives a new file the owner of the one at path, which it is to replace, or of the
// folder if there is none. Only root can, and needs to: a service that runs as another user
// must be able to write its files after root has changed them.
func keepOwner(f *os.File, path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		info, err = os.Stat(filepath.Dir(path))
	}
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Uid == 0 && stat.Gid == 0 {
		return nil
	}
	if err := f.Chown(int(stat.Uid), int(stat.Gid)); !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil // root without that right, as in a container
}
