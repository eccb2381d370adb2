//go:build unix

package record

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Whatever is in place of a file of ours is not waited for or read without end; it is set
// aside, however often, and the archive opens.
func TestOpen_IrregularFiles(t *testing.T) {
	const id = "zH4kQ2ab"
	dir := t.TempDir()
	for name, create := range map[string]func(path string) error{
		"FIFO":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"device": func(path string) error { return os.Symlink(os.DevNull, path) },
		"folder": func(path string) error { return os.MkdirAll(filepath.Join(path, "full"), 0o755) },
		"2 GiB": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600),
				os.Truncate(path, 2<<30))
		},
	} {
		t.Run(name, func(t *testing.T) {
			paths := []string{
				filepath.Join(dir, stateFileName), filepath.Join(dir, usersFileName), filepath.Join(dir, liveFileName),
			}
			aside := func() (n int) {
				for _, path := range paths {
					found, _ := filepath.Glob(path + ".*.damaged")
					n += len(found)
				}
				return n
			}
			before := aside()
			for _, path := range paths {
				must(t, create(path))
			}
			a := openArchive(t, dir)
			s, stateErr := OpenState(dir)
			u, usersErr := OpenUsers(dir)
			if stateErr == nil || usersErr == nil || !s.IsStored() || !u.IsStored() {
				t.Errorf("state %v, users %v", stateErr, usersErr)
			}
			if r := a.Repairs(); len(r) != 1 || r[0].File != liveFileName || r[0].Err == nil {
				t.Errorf("repairs %v", r)
			}
			if n := aside() - before; n != len(paths) {
				t.Errorf("%d are set aside", n)
			}
			must(t, s.Update(fill))
			track(t, a, sample(t, id, august), 3)
			crash(t, a)
			if a = openArchive(t, dir); len(a.Unfinished()) != 1 || len(dataOf(openFile(t, dir)).Openings) != 1 {
				t.Error("what was written in their place is not read")
			}
			crash(t, a)
			must(t, errors.Join(os.Remove(paths[0]), os.Remove(paths[2])))
		})
	}
}
