package record

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Opening the archive leaves whole games only, wherever a write was torn, and
// keeps what it cuts off.
func TestOpen_MendsTornTails(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "2026-08.pgn")
	for torn := 1; torn < len(samplePGN); torn += 3 {
		if err := os.RemoveAll(filepath.Join(dir, tornDir)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(samplePGN+samplePGN[:torn]), 0o644); err != nil {
			t.Fatal(err)
		}
		a := openArchive(t, dir)
		crash(t, a)
		if torn >= len(samplePGN)-2 { // all but the empty line is there
			if got := contents(t, dir, "2026-08.pgn"); got != samplePGN+samplePGN[:torn] || len(a.Repairs()) > 0 {
				t.Errorf("a whole game was cut: %v", a.Repairs())
			}
			continue
		}
		if diff := cmp.Diff([]Repair{{"2026-08.pgn", len("\n\n") + torn}}, a.Repairs()); diff != "" {
			t.Fatalf("torn after %q: repairs (-want +got):\n%s", samplePGN[:torn], diff)
		}
		if got := contents(t, dir, "2026-08.pgn"); got != strings.TrimSpace(samplePGN) {
			t.Fatalf("torn after %q: left is %q", samplePGN[:torn], got)
		}
		if got := contents(t, dir, "torn/2026-08.pgn"); strings.Trim(got, "\n") != strings.Trim(samplePGN[:torn], "\n") {
			t.Fatalf("torn after %q: kept is %q", samplePGN[:torn], got)
		}
	}
}

func TestFindEnd(t *testing.T) {
	const game = "[Event \"x\"]\n\n1. e4 { [%clk 0:03:00] } 1-0"
	for _, tt := range []struct {
		name, text string
		keep       int
		gap        string
	}{
		{"empty", "", 0, ""},
		{"nothing whole", "[Event \"x", 0, ""},
		{"as written", game + "\n\n", len(game) + 2, ""},
		{"no empty line", game + "\n", len(game) + 1, "\n"},
		{"no line break", game, len(game), "\n\n"},
		{"more empty lines", game + "\n\n\n", len(game) + 3, ""},
		{"as an editor on Windows leaves it", strings.ReplaceAll(game+"\n\n", "\n", "\r\n"), len(game) + 6, ""},
		{"no moves", "[Event \"x\"]\n\n*\n\n", 16, ""},
		{"a comment with a result", game + "\n\n1. e4 { he said 1-0", len(game), "\n\n"},
		{"a name with a result", game + "\n\n[White \"King 1-0", len(game), "\n\n"},
		{"zeros, as after a power cut", game + "\n\n" + strings.Repeat("\x00", 512), len(game), "\n\n"},
		{"torn behind more than is read at first", game + "\n\n" + strings.Repeat("e4 ", firstLook), len(game), "\n\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			if err := os.WriteFile(path, []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			end, err := findEnd(f)
			if err != nil || end.keep != int64(tt.keep) || end.gap != tt.gap || tt.text[:tt.keep]+string(end.torn) != tt.text {
				t.Errorf("keep %d, gap %q, torn %.40q, error %v; want keep %d, gap %q", end.keep, end.gap, end.torn, err, tt.keep, tt.gap)
			}
		})
	}
}

// Files that are not the archive's own are none of its business.
func TestOpen_LeavesOtherFilesAlone(t *testing.T) {
	dir := t.TempDir()
	const text = "[Event \"torn"
	if err := os.WriteFile(filepath.Join(dir, "masters.pgn"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	openArchive(t, dir)
	if got := contents(t, dir, "masters.pgn"); got != text {
		t.Errorf("it holds %q", got)
	}
}

func TestOpen_OneWriter(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	if _, err := Open(dir); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), dir) {
		t.Errorf("opened twice: %v", err)
	}
	crash(t, a)
	openArchive(t, dir)
}
