package record

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/internal/fixture"
)

// Opening the archive leaves complete games only, wherever a write was truncated, and
// saves what it removes.
func TestOpen_RepairsTruncatedFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "2026-08.pgn")
	for cut := len(samplePGN) - 1; cut > 0; cut -= 7 {
		must(t, os.RemoveAll(file+truncatedSuffix))
		fixture.Write(t, file, samplePGN+samplePGN[:cut])
		a := openArchive(t, dir)
		crash(t, a)
		if cut >= len(samplePGN)-2 { // complete but for the empty line
			if got := contents(t, dir, "2026-08.pgn"); got != samplePGN+samplePGN[:cut] || len(a.Repairs()) > 0 {
				t.Errorf("a complete game was removed: %v", a.Repairs())
			}
			continue
		}
		if diff := cmp.Diff([]Repair{{File: "2026-08.pgn", Bytes: cut}}, a.Repairs()); diff != "" {
			t.Fatalf("truncated after %q: repairs (-want +got):\n%s", samplePGN[:cut], diff)
		}
		if got := contents(t, dir, "2026-08.pgn"); got != samplePGN {
			t.Fatalf("truncated after %q: the file holds %q", samplePGN[:cut], got)
		}
		if got := contents(t, dir, "2026-08.pgn.torn"); strings.Trim(got, "\n") != strings.Trim(samplePGN[:cut], "\n") {
			t.Fatalf("truncated after %q: saved %q", samplePGN[:cut], got)
		}
	}
}

// What root repairs for another user is that user's.
func TestOpen_RepairKeepsTheOwner(t *testing.T) {
	dir, owner := t.TempDir(), os.Geteuid()
	if owner == 0 {
		owner = 65532
		must(t, os.Chown(dir, owner, owner))
	}
	for _, name := range []string{"2026-08.pgn", "2026-09.pgn"} {
		fixture.Write(t, filepath.Join(dir, name), samplePGN[:20])
		crash(t, openArchive(t, dir))
		if info, err := os.Stat(filepath.Join(dir, name+truncatedSuffix)); err != nil || !file.IsOwnedBy(info, owner) {
			t.Errorf("%s is not its owner's: %v", name, err)
		}
	}
}

// A truncated game is added to those that were saved before.
func TestOpen_RepairsAgain(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"[Event \"first", "[Event \"second"} {
		fixture.Write(t, filepath.Join(dir, "2026-08.pgn"), text)
		crash(t, openArchive(t, dir))
	}
	if got := contents(t, dir, "2026-08.pgn.torn"); got != "[Event \"first\n\n[Event \"second\n\n" {
		t.Errorf("saved %q", got)
	}
}

func TestFindEnd(t *testing.T) {
	const game = "[Event \"x\"]\n\n1. e4 { [%clk 0:03:00] } 1-0"
	for _, tt := range []struct {
		name, text string
		size       int
		separator  string
	}{
		{"empty", "", 0, ""},
		{"no complete game", "[Event \"x", 0, ""},
		{"as written", game + "\n\n", len(game) + 2, ""},
		{"no empty line", game + "\n", len(game) + 1, "\n"},
		{"no line break", game, len(game), "\n\n"},
		{"more empty lines", game + "\n\n\n", len(game) + 3, ""},
		{"as an editor on Windows leaves it", strings.ReplaceAll(game+"\n\n", "\n", "\r\n"), len(game) + 6, ""},
		{"no moves", "[Event \"x\"]\n\n*\n\n", 16, ""},
		{"a comment with a result", game + "\n\n1. e4 { he said 1-0", len(game) + 2, ""},
		{"a name with a result", game + "\n\n[White \"King 1-0", len(game) + 2, ""},
		{"zeros, as after a power cut", game + "\n\n" + strings.Repeat("\x00", 512), len(game) + 2, ""},
		{"a variation without end before other games", "[Event \"x\"]\n\n1. e4 ( d4\n\n" + game + "\n\n",
			len(game) + 27, ""},
		{"truncated game longer than tailSize", game + "\n\n" + strings.Repeat("e4 ", tailSize), len(game) + 2, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			fixture.Write(t, path, tt.text)
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			end, err := findEnd(f)
			if err != nil || end.size != int64(tt.size) || end.separator != tt.separator ||
				tt.text[:tt.size]+string(end.truncated) != tt.text {
				t.Errorf(
					"size %d, separator %q, truncated %.40q, error %v; want size %d, separator %q", end.size,
					end.separator,
					end.truncated, err, tt.size, tt.separator,
				)
			}
		})
	}
}

// A file that cannot be written does not keep the archive from opening. A truncated game in
// an older one is removed before a game is added there, and does not count as that game.
func TestOpen_OldFiles(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	g := sample(t, "zH4kQ2ab", august)
	track(t, a, g, 15)
	crash(t, a)
	fixture.Write(t, filepath.Join(dir, "2026-08.pgn"), samplePGN[:len(samplePGN)-60])
	for _, name := range []string{"2026-07.pgn", "2026-09.pgn"} { // not even root can write them
		must(t, os.Mkdir(filepath.Join(dir, name), 0o555))
	}
	if a = openArchive(t, dir); len(a.Repairs()) > 0 ||
		contents(t, dir, "2026-08.pgn") != samplePGN[:len(samplePGN)-60] {
		t.Errorf("an older file is repaired: %v", a.Repairs())
	}
	must(t, a.Save(g))
	if got := contents(t, dir, "2026-08.pgn"); got != samplePGN {
		t.Errorf("the older file holds\n%s", got)
	}
}

// A truncated game that cannot be saved does not keep the archive from opening: games wait.
func TestOpen_CannotRepair(t *testing.T) {
	dir := t.TempDir()
	fixture.Write(t, filepath.Join(dir, "2026-08.pgn"), samplePGN[:20])
	obstacle := filepath.Join(dir, "2026-08.pgn.torn")
	must(t, os.Mkdir(obstacle, 0o755))
	a := openArchive(t, dir)
	if r := a.Repairs(); len(r) != 1 || r[0].File != "2026-08.pgn" || r[0].Err == nil {
		t.Errorf("repairs %v", r)
	}
	if err := a.Save(sample(t, "zH4kQ2ab", august)); err == nil || a.Backlog().Waiting != 1 ||
		!strings.Contains(a.Backlog().Reason, "save a truncated game") {
		t.Errorf("saved with %v, backlog %v", err, a.Backlog())
	}
	must(t, os.Remove(obstacle))
	must(t, a.Flush())
	if got := contents(t, dir, "2026-08.pgn"); got != samplePGN {
		t.Errorf("the file holds\n%s", got)
	}
}

func TestOpen_OneWriter(t *testing.T) {
	dir := t.TempDir()
	if InUse(dir) || InUse("") || InUse(filepath.Join(dir, "none")) {
		t.Error("a folder without an archive is in use")
	}
	a := openArchive(t, dir)
	if _, err := Open(dir); !InUse(dir) || !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), dir) {
		t.Errorf("opened twice: %v", err)
	}
	if crash(t, a); InUse(dir) {
		t.Error("a closed archive is in use")
	}
	openArchive(t, dir)
}
