package statefile

import (
	"errors"
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
	} {
		if got := check(tt.locked, tt.err); !errors.Is(got, tt.want) {
			t.Errorf("after TryLock returned %v, %v, Lock returns %v, want %v", tt.locked, tt.err, got, tt.want)
		}
	}
}
