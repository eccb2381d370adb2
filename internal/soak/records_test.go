package soak

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// A folder's name may be a pattern.
func TestCompareRecords_BracketsInPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bot[1]")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	filetest.Write(t, filepath.Join(dir, "2026-08.pgn"), "[GameId \"abcd1234\"]\n\n1. e4 e5 *\n\n")
	mismatches, err := CompareRecords(t.Context(), dir, []lichesstest.Result{{ID: "abcd1234", Moves: []string{"e2e4", "e7e5"}, Plies: 2}})
	if err != nil || len(mismatches) > 0 {
		t.Errorf("%v, %q", err, mismatches)
	}
}
