package record

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// storedFixture returns a copy of testdata/v1: what version 1 of the program left on disk
// when it was killed in the middle of two games.
func storedFixture(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS("testdata/v1")))
	return dir
}

// Games that version 1 recorded are read without loss, but for a tag that is gone: they are written
// as they were.
func TestFixture_Games(t *testing.T) {
	dir := storedFixture(t)
	var text strings.Builder
	for _, g := range gamesSince(t, openArchive(t, dir), time.Time{}) {
		text.WriteString(g.PGN().String())
	}
	want := contents(t, dir, "2026-08.pgn") + contents(t, dir, "2026-09.pgn")
	want = regexp.MustCompile(`\[PostMortem .*\n`).ReplaceAllString(want, "")
	if text.String() != want {
		t.Errorf("rewritten as\n%s\nwant\n%s", text.String(), want)
	}
}

// The journals of games that version 1 left unfinished are set aside.
func TestFixture_Journals(t *testing.T) {
	a := openArchive(t, storedFixture(t))
	r := a.Repairs()
	if len(r) != 1 || r[0].File != "live" || !errors.Is(r[0].Err, errOldJournals) || len(a.Unfinished()) > 0 {
		t.Errorf("repairs %v, in progress %v", r, a.Unfinished())
	}
	if aside, _ := filepath.Glob(filepath.Join(a.dir, "live.*.damaged", "live0012.jsonl")); len(aside) != 1 {
		t.Error("the journal is lost")
	}
}
