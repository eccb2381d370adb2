//go:build unix

package record

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A folder that was removed or renamed is made again, and locked. What another program has made
// there is left to it.
func TestArchive_FolderLost(t *testing.T) {
	for name, tt := range map[string]struct {
		lose  func(dir string) error
		again string // the first attempt's error, "" for none
	}{
		"removed":    {os.RemoveAll, errMoved.Error()},
		"renamed":    {func(dir string) error { return os.Rename(dir, dir+".old") }, errMoved.Error()},
		"lock gone":  {func(dir string) error { return os.Remove(filepath.Join(dir, ".lock")) }, errMoved.Error()},
		"not at all": {func(string) error { return nil }, ""},
		"and in use": {func(dir string) error { return os.Rename(dir, dir+".old") }, ErrInUse.Error()},
		"a file then": {func(dir string) error {
			return errors.Join(os.Rename(dir, dir+".old"), os.WriteFile(dir, nil, 0o600))
		}, "open records"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "records")
			a := openArchive(t, dir)
			var last Backlog
			a.Observe = func(b Backlog) { last = b }
			must(t, a.Save(sample(t, "first000", august)))
			must(t, tt.lose(dir))
			var other *Archive
			if tt.again == ErrInUse.Error() {
				other = openArchive(t, dir)
			}
			err := a.Save(sample(t, "second00", august))
			if (err == nil) != (tt.again == "") || err != nil && !strings.Contains(err.Error(), tt.again) {
				t.Errorf("saved with %v", err)
			}
			blocked := tt.again != "" && tt.again != errMoved.Error()
			if blocked != (last.Waiting == 1) || blocked == last.Since.IsZero() || last != a.Backlog() {
				t.Errorf("backlog %+v, observed %+v", a.Backlog(), last)
			}
			if other != nil {
				crash(t, other)
			} else if strings.HasPrefix(tt.again, "open") {
				must(t, os.Remove(dir))
			}
			if err := a.Flush(); err != nil && !errors.Is(err, errMoved) {
				t.Error(err)
			}
			if got := ids(t, dir, "2026-08.pgn"); got[len(got)-1] != "second00" || last != (Backlog{}) {
				t.Errorf("afterwards the file holds %v, backlog %+v", got, last)
			}
			if _, err := Open(dir); !errors.Is(err, ErrInUse) {
				t.Errorf("it is not locked: %v", err)
			}
			if _, err := os.Stat(dir + ".old"); err == nil && tt.again == errMoved.Error() { // it comes back
				must(t, errors.Join(os.RemoveAll(dir), os.Rename(dir+".old", dir)))
				if err := a.Save(sample(t, "third000", august)); !errors.Is(err, errMoved) {
					t.Errorf("the folder that is back: %v", err)
				}
			}
			must(t, a.Close())
			crash(t, openArchive(t, dir))
		})
	}
}

// A game that was written to a folder which is lost before it is synced is written again.
func TestArchive_FolderLostDuringSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "records")
	a := openArchive(t, dir)
	a.SetSync(func(*os.File) error { return os.RemoveAll(dir) })
	if a.Save(sample(t, "first000", august)) == nil {
		t.Error("no error although the folder is gone")
	}
	a.SetSync((*os.File).Sync)
	must(t, a.Close())
	if got := ids(t, dir, "2026-08.pgn"); !cmp.Equal(got, []string{"first000"}) {
		t.Errorf("the file holds %v", got)
	}
}
