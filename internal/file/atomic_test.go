package file

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, text := range []string{"old", "new"} {
		if err := Replace(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("the file has %q, %v; want %q", got, err, text)
		}
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o640 {
			t.Errorf("the file has mode %v, %v", info.Mode(), err)
		}
	}
	full := errors.New("disk full")
	if err := ReplaceSynced(path, []byte("newest"), 0o600, func(*os.File) error {
		return full
	}); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "new" {
		t.Errorf("after an error the file has %q, %v", got, err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

// What root writes for another user, in a new file or an old one, is that user's.
func TestReplace_KeepsTheOwner(t *testing.T) {
	for name, write := range map[string]func(path string) error{
		"replaced": func(path string) error { return Replace(path, nil, 0o600) },
		"appended": func(path string) error { return Append(path, nil, 0o600) },
		".lock": func(path string) error {
			lock, err := LockDir(filepath.Dir(path))
			return errors.Join(err, lock.Close())
		},
		filepath.Join("a", "b"): func(path string) error {
			_, err := MakeDir(path)
			return err
		},
	} {
		dir, owner := t.TempDir(), os.Geteuid()
		if owner == 0 {
			owner = 65532
			if err := os.Chown(dir, owner, owner); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, name)
		for range 2 {
			if err := write(path); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(path); err != nil || !IsOwnedBy(info, owner) {
				t.Errorf("%s: not its owner's: %v", name, err)
			}
			if err := os.Chown(dir, os.Geteuid(), os.Getegid()); err != nil {
				t.Fatal(err)
			}
		}
	}
}
