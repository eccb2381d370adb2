package file

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/gofrs/flock"
)

// Some file systems refuse to write a file that is locked through another descriptor.
func TestLock_LeavesTheFileUnlocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	lock, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	file := flock.New(path)
	if locked, err := file.TryLock(); !locked || err != nil {
		t.Errorf("the file itself is locked, too: %v", err)
	}
	if err := errors.Join(file.Close(), lock.Close()); err != nil {
		t.Error(err)
	}
}

// Without a file beside it, as in a read-only directory, the file itself is locked.
func TestLock_NoFileBeside(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".state.lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "state")
	checkExcludes(t, path, path)
}

// checkExcludes checks that a file which is locked by one path is in use by another.
func checkExcludes(t *testing.T, path, other string) {
	t.Helper()
	lock, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(other); !errors.Is(err, ErrInUse) {
		t.Errorf("%s, locked as %s, is locked again: %v, want %v", other, path, err, ErrInUse)
	}
	if err := lock.Close(); err != nil {
		t.Error(err)
	}
}

// Whoever can read the file or the folder can lock it.
func TestLock_Permissions(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	lock, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	folder, err := LockDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	file, err1 := os.Stat(path)
	locked, err2 := os.Stat(lockFile(path))
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if file.Mode() != locked.Mode() || file.Mode() != StatDirLock(dir).Mode() || os.SameFile(file, locked) {
		t.Errorf("the lock file has mode %v, the file %v", locked.Mode(), file.Mode())
	}
}

// A file is the same one by another name.
func TestLock_SymbolicLink(t *testing.T) {
	path, link := filepath.Join(t.TempDir(), "state"), filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Symlink(path, link)); err != nil {
		t.Fatal(err)
	}
	checkExcludes(t, path, link)
}

// A file system without locks is no reason not to write.
func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		locked    bool
		err, want error
	}{
		{true, nil, nil},
		{false, nil, ErrInUse},
		{false, syscall.EIO, syscall.EIO},
		{false, syscall.ENOSYS, nil},
		{false, syscall.ENOTSUP, nil},
		{false, syscall.ENOLCK, nil},
		{false, syscall.EINVAL, nil},
	} {
		if got := check(tt.locked, tt.err); !errors.Is(got, tt.want) {
			t.Errorf("after TryLock returned %v, %v, Lock returns %v, want %v", tt.locked, tt.err, got, tt.want)
		}
	}
}
