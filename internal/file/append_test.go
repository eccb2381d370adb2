package file

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

var errFull = errors.New("no space left")

// fullDisk writes half of what it is given, once.
type fullDisk struct {
	storage
	failed bool
}

func (d *fullDisk) Write(b []byte) (int, error) {
	if d.failed {
		return d.storage.Write(b)
	}
	d.failed = true
	n, err := d.storage.Write(b[:len(b)/2])
	return n, errors.Join(err, errFull)
}

// A part that was written by half is removed, and nothing follows it.
func TestState_AppendFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	f, err := OpenState[struct{}, string](path, struct{}{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Append("whole"); err != nil {
		t.Fatal(err)
	}
	f.file = &fullDisk{storage: f.file}
	for _, part := range []string{"half", "later"} {
		if err := f.Append(part); !errors.Is(err, errFull) {
			t.Errorf("appending %q: %v, want %v", part, err, errFull)
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "{}\n\"whole\"\n" {
		t.Errorf("the file is %q, %v", text, err)
	}
}
