//go:build unix

package file

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// Nothing waits for the other end of a FIFO.
func TestFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadJSON[int](path); !errors.Is(err, ErrNotRegular) {
		t.Errorf("read: %v", err)
	}
	if err := Append(path, []byte("text"), 0o600); err == nil {
		t.Error("appended to")
	}
}
