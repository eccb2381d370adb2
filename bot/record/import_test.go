package record

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// importGames imports games into an open archive and checks the counts.
func importGames(t *testing.T, a *Archive, want Imported, games ...*Game) {
	t.Helper()
	got, err := a.Import(games)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("imported (-want +got):\n%s", diff)
	}
}

// plain returns the sample without what only the bot knows.
func plain(t *testing.T, id string, created time.Time) *Game {
	g := sample(t, id, created)
	for i := range g.Notes {
		g.Notes[i] = Note{HasClock: true, Clock: time.Minute}
	}
	return g
}

// Missing games are added to the files of their months by time; those that are there
// stay as they are.
func TestArchive_Import(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	recorded := sample(t, "recorded", august)
	recorded.Version, recorded.PostMortem = "1.2", "outplayed"
	must(t, a.Save(recorded))
	before := contents(t, dir, "2026-08.pgn")
	importGames(t, a, Imported{Added: 4, Known: 1},
		plain(t, "later000", august.Add(time.Second)), plain(t, "recorded", august), plain(t, "earlier0", august.Add(-time.Hour)),
		plain(t, "july0000", august.AddDate(0, -1, 0)), plain(t, "septemb0", august.AddDate(0, 0, 1)))
	for file, want := range map[string][]string{
		"2026-07.pgn": {"july0000"}, "2026-08.pgn": {"earlier0", "recorded", "later000"}, "2026-09.pgn": {"septemb0"},
	} {
		if got := ids(t, dir, file); !cmp.Equal(got, want) {
			t.Errorf("%s holds %v, want %v", file, got, want)
		}
	}
	if after := contents(t, dir, "2026-08.pgn"); !strings.Contains(after, before) {
		t.Errorf("the recorded game was\n%s\nand now the file is\n%s", before, after)
	}
	after := contents(t, dir, "2026-08.pgn")
	importGames(t, a, Imported{Known: 2}, plain(t, "later000", august.Add(time.Second)), plain(t, "recorded", august))
	if contents(t, dir, "2026-08.pgn") != after {
		t.Error("the second import changed the file")
	}
	must(t, a.Save(sample(t, "saved000", august)))
	if got := ids(t, dir, "2026-08.pgn"); len(got) != 4 || got[3] != "saved000" {
		t.Errorf("after one more was saved: %v", got)
	}
}

// A record without a result or rating changes gets them, and keeps its evaluations.
func TestArchive_ImportCompletes(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	cut := sample(t, "cut00000", august)
	cut.Game.TakeBack(2)
	cut.Notes = cut.Notes[:13]
	cut.Result, cut.Status, cut.RatingKnown, cut.Version = rules.NoResult, "unknownFinish", false, "1.2"
	unrated := sample(t, "unrated0", august)
	unrated.RatingKnown = false
	other := sample(t, "another0", august)
	other.Game, other.Notes = rules.NewGame(rules.StartPosition()), nil
	rulestest.Play(t, other.Game, "a2a3")
	other.Result = rules.NoResult
	for _, g := range []*Game{cut, unrated, other} {
		must(t, a.Save(g))
	}
	importGames(t, a, Imported{Completed: 3}, plain(t, "cut00000", august), plain(t, "unrated0", august), plain(t, "another0", august))
	importGames(t, a, Imported{Known: 3}, plain(t, "cut00000", august), plain(t, "unrated0", august), plain(t, "another0", august))
	games := gamesSince(t, a, time.Time{})
	if len(games) != 3 {
		t.Fatalf("%d games", len(games))
	}
	want := sample(t, "cut00000", august)
	for i, g := range games[:2] {
		if g.Result != rules.WhiteWins || g.Status != "mate" || !g.RatingKnown || g.White.RatingDiff != 3 || g.Black.RatingDiff != -2 || g.Game.Ply() != 15 {
			t.Errorf("game %d: %+v, %d plies", i, g.Summary, g.Game.Ply())
		}
		for _, ply := range []int{0, 12} {
			if g.Notes[ply] != want.Notes[ply] {
				t.Errorf("game %d, ply %d: %+v, want %+v", i, ply, g.Notes[ply], want.Notes[ply])
			}
		}
	}
	if games[0].Version != "1.2" || games[0].Notes[14].Clock != time.Minute {
		t.Errorf("completed %+v, last move %+v", games[0].Summary, games[0].Notes[14])
	}
	if games[2].Game.Ply() != 1 || games[2].Result != rules.WhiteWins {
		t.Errorf("a record with other moves: %d plies, %s", games[2].Game.Ply(), games[2].Result)
	}
}

// Whatever stands in a file is still there afterwards, byte by byte.
func TestArchive_ImportKeepsText(t *testing.T) {
	for name, text := range map[string]string{
		"from elsewhere": "[Event \"x\"]\n[Site \"https://lichess.org/elsewher\"]\n[Annotator \"me\"]\n\n1. e4 $1 { mine } (1. d4 d5) 1... e5 1-0\n\n\n",
		"no break":       "[Event \"x\"]\n\n1. e4 e5 1-0",
		"carriage":       "[Event \"x\"]\r\n\r\n1. e4 e5 1-0\r\n\r\n",
		"text":           "; hello\n\n[Event \"x\"]\n\n1. e4 1-0\n\n[Event \"y\"]\n1. d4 *\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "2026-08.pgn")
			filetest.Write(t, path, text)
			a := openArchive(t, dir)
			importGames(t, a, Imported{Added: 1}, plain(t, "new00000", august))
			got := contents(t, dir, "2026-08.pgn")
			if !strings.HasPrefix(got, text) || !strings.Contains(got, "\n[Event \"Rated Crazyhouse game\"]") {
				t.Errorf("the file is %q, want first %q", got, text)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			importGames(t, a, Imported{Known: 1}, plain(t, "new00000", august))
		})
	}
}

// A full disk leaves the file as it was.
func TestArchive_ImportFails(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	must(t, a.Save(sample(t, "recorded", august)))
	before, full := contents(t, dir, "2026-08.pgn"), errors.New("disk full")
	a.SetSync(func(*os.File) error { return full })
	done, err := a.Import([]*Game{plain(t, "new00000", august)})
	if !errors.Is(err, full) || done != (Imported{}) {
		t.Errorf("imported %+v, error %v", done, err)
	}
	if contents(t, dir, "2026-08.pgn") != before {
		t.Error("the file has changed")
	}
	if files, err := filepath.Glob(filepath.Join(dir, "2026*")); err != nil || len(files) != 1 {
		t.Errorf("files %v, %v", files, err)
	}
}

// FuzzReadMonth: a file is read without loss, whatever is in it, or refused.
func FuzzReadMonth(f *testing.F) {
	f.Add([]byte(samplePGN))
	f.Add([]byte("[Event \"x\"]\r\n\r\n1. e4 e5 1-0"))
	f.Add([]byte("A[\n1-0"))
	f.Add([]byte("1-0{}1-0\n*"))
	f.Add([]byte("hello\n\n[Event \"x\"]\n*\n[A \"b\"]\n1-0\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "2026-08.pgn")
		filetest.Write(t, path, text)
		m, err := readMonth(path)
		if err != nil {
			return
		}
		if got := string(m.text()); !sameWords(got, string(text)) {
			t.Errorf("%q is read as %q", text, got)
		}
	})
}

// sameWords reports whether texts differ in space only.
func sameWords(a, b string) bool { return cmp.Equal(strings.Fields(a), strings.Fields(b)) }
