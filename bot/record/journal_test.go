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
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// openArchive opens a folder until the end of the test.
func openArchive(t *testing.T, dir string) *Archive {
	t.Helper()
	a, err := Open(dir)
	must(t, err)
	t.Cleanup(func() { _ = a.Close() })
	return a
}

// crash closes an archive as a killed process would: it only releases the lock.
func crash(t *testing.T, a *Archive) {
	t.Helper()
	must(t, a.Close())
}

// writeJournal writes a journal of a game's first plies, and returns its path.
func writeJournal(t *testing.T, a *Archive, g *Game, plies int) string {
	t.Helper()
	j, err := a.Journal(g.ID)
	if err != nil {
		t.Fatal(err)
	}
	must(t, j.Begin(g))
	must(t, j.MarkGreeted())
	part := rules.NewGame(*g.Game.Start())
	for ply, m := range g.Game.Moves()[:plies] {
		must(t, part.Play(m))
		must(t, j.Update(part, g.Notes[:ply+1]))
	}
	must(t, j.SetCounts(2, g.Fallbacks))
	must(t, j.Close())
	return filepath.Join(a.dir, liveDir, g.ID+journalExt)
}

// compareGames compares games by start position and moves.
var compareGames = cmp.Options{cmp.Comparer(func(x, y *rules.Game) bool {
	return (x == nil) == (y == nil) && (x == nil || *x.Start() == *y.Start() && cmp.Equal(x.Moves(), y.Moves()))
})}

// unfinishedGame returns a game as read from its journal, without result.
func unfinishedGame(g *Game, plies int) Game {
	r := *g
	r.Game = rules.NewGame(*g.Game.Start())
	for _, m := range g.Game.Moves()[:plies] {
		if err := r.Game.Play(m); err != nil {
			panic(err)
		}
	}
	r.Notes = g.Notes[:plies]
	r.RatingKnown, r.White.RatingDiff, r.Black.RatingDiff = false, 0, 0
	r.Status, r.Result = lichess.StatusUnknownFinish, rules.NoResult
	return r
}

// resume opens the journal of the only unfinished game, which must be as wanted.
func resume(t *testing.T, a *Archive, want JournalState) *Journal {
	t.Helper()
	left := a.Unfinished()
	if len(left) != 1 {
		t.Fatalf("%d unfinished games, want 1", len(left))
	}
	if diff := cmp.Diff(want, *left[0], compareGames); diff != "" {
		t.Errorf("unfinished (-want +got):\n%s", diff)
	}
	j, err := a.Journal(want.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, *j.Resumed(), compareGames); diff != "" {
		t.Errorf("resumed (-want +got):\n%s", diff)
	}
	return j
}

func TestJournal_SurvivesCrash(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	g := sample(t, "zH4kQ2ab", august)
	g.Version, g.Network, g.Program = "v1.2.3", "zh-0123456789ab", "Fairy-Stockfish 11.1"
	g.Contender, g.ContenderFor, g.Fallbacks, g.Notes[0].Lag = "new network", "speeds: bullet", 3, 45*time.Millisecond
	writeJournal(t, a, g, 13)
	crash(t, a)

	a = openArchive(t, dir)
	want := JournalState{Game: unfinishedGame(g, 13), Greeted: true, Takebacks: 2}
	j := resume(t, a, want)
	must(t, errors.Join(j.Begin(g), j.MarkGreeted(), j.SetCounts(2, g.Fallbacks), j.Update(g.Game, g.Notes), j.Close()))
	if n := strings.Count(contents(t, dir, "live/zH4kQ2ab.jsonl"), "\n"); n != 1+1+15+1 {
		t.Errorf("%d lines, want the header, greeting, counts and 15 moves", n)
	}
	must(t, a.Save(g))
	if got := ids(t, dir, "2026-08.pgn"); !cmp.Equal(got, []string{g.ID}) {
		t.Errorf("the archive holds %v", got)
	}
	crash(t, a)
	if left := openArchive(t, dir).Unfinished(); len(left) != 0 {
		t.Errorf("%d journals left after the game was saved", len(left))
	}
}

// A game whose journal is closed before its end is unfinished, and goes on where its
// journal ends, without a restart in between.
func TestJournal_ClosedBeforeTheEnd(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	begun := unfinishedGame(sample(t, "zH4kQ2ab", august), 15)
	g := &begun
	writeJournal(t, a, g, 5)
	want := JournalState{Game: unfinishedGame(g, 5), Greeted: true, Takebacks: 2}
	for range 2 { // resumed, it is closed again
		j := resume(t, a, want)
		want.Game = unfinishedGame(g, 8)
		must(t, errors.Join(j.Begin(g), j.Update(want.Game.Game, want.Notes), j.Close()))
	}
	if n := strings.Count(contents(t, dir, "live/zH4kQ2ab.jsonl"), "\n"); n != 1+1+8+1 {
		t.Errorf("%d lines, want the header, greeting, takebacks and 8 moves", n)
	}
	must(t, a.Save(g))
	if left := a.Unfinished(); len(left) != 0 {
		t.Errorf("%d unfinished games after it was saved", len(left))
	}
}

// Neither a game that waits for the disk is unfinished, nor one whose first journal is
// closed last, as after a panic.
func TestJournal_ClosedTooLate(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	g := sample(t, "zH4kQ2ab", august)
	first, err := a.Journal(g.ID)
	if err != nil {
		t.Fatal(err)
	}
	must(t, first.Begin(g))
	writeJournal(t, a, g, 5)
	obstacle := filepath.Join(dir, "2026-08.pgn")
	must(t, os.Mkdir(obstacle, 0o755))
	if a.Save(g) == nil {
		t.Error("saved into a folder")
	}
	must(t, first.Close())
	if left := a.Unfinished(); len(left) != 0 {
		t.Errorf("%d unfinished games while one waits for the disk", len(left))
	}
	must(t, errors.Join(os.Remove(obstacle), a.Flush()))
	if got := ids(t, dir, "2026-08.pgn"); !cmp.Equal(got, []string{g.ID}) || len(a.Unfinished()) != 0 {
		t.Errorf("the archive holds %v", got)
	}
}

func TestJournal_Takebacks(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	g := sample(t, "zH4kQ2ab", august)
	writeJournal(t, a, g, 5)
	j, err := a.Journal(g.ID)
	if err != nil {
		t.Fatal(err)
	}
	short, other := unfinishedGame(g, 3), unfinishedGame(g, 2)
	rulestest.Play(t, other.Game, "a2a3", "a7a6")
	must(t, errors.Join(j.Begin(g), j.Update(g.Game, g.Notes), j.Update(short.Game, short.Notes), j.Update(other.Game, g.Notes[:4]), j.Close()))
	crash(t, a)
	got := openArchive(t, dir).Unfinished()[0]
	if diff := cmp.Diff(other.Game.Moves(), got.Game.Game.Moves()); diff != "" {
		t.Errorf("moves (-want +got):\n%s", diff)
	}
}

// Wherever a crash truncates a journal, the lines before are read, and the journal can
// be resumed.
func TestJournal_Truncated(t *testing.T) {
	dir := t.TempDir()
	g := sample(t, "zH4kQ2ab", august)
	a := openArchive(t, dir)
	file := writeJournal(t, a, g, 15)
	crash(t, a)
	whole := filetest.Read(t, file)
	for cut := 0; cut < len(whole); cut += 7 {
		filetest.Write(t, file, whole[:cut])
		a := openArchive(t, dir)
		left := a.Unfinished()[0]
		lines := strings.Count(whole[:cut], "\n")
		if plies := max(0, lines-2); left.Game.Game != nil && left.Game.Game.Ply() < min(plies, 15) {
			t.Fatalf("cut at %d: %d plies left of %d lines", cut, left.Game.Game.Ply(), lines)
		}
		j, err := a.Journal(g.ID)
		if err != nil {
			t.Fatal(err)
		}
		must(t, errors.Join(j.Begin(g), j.Update(g.Game, g.Notes), j.Close()))
		crash(t, a)
		a = openArchive(t, dir)
		if diff := cmp.Diff(unfinishedGame(g, 15), a.Unfinished()[0].Game, compareGames); diff != "" {
			t.Fatalf("cut at %d, then resumed (-want +got):\n%s", cut, diff)
		}
		crash(t, a)
	}
}

// A crash between writing a game and deleting its journal leaves both; the game is not
// written again.
func TestArchive_SavesOnce(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	g := sample(t, "zH4kQ2ab", august)
	file := writeJournal(t, a, g, 15)
	journal := filetest.Read(t, file)
	must(t, a.Save(g))
	crash(t, a)
	filetest.Write(t, file, journal)
	a = openArchive(t, dir)
	must(t, a.Save(g))
	if got := ids(t, dir, "2026-08.pgn"); !cmp.Equal(got, []string{g.ID}) {
		t.Errorf("the archive holds %v", got)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the journal is still there (%v)", err)
	}
}

func TestArchive_DiscardJournal(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	writeJournal(t, a, sample(t, "zH4kQ2ab", august), 1)
	crash(t, a)
	a = openArchive(t, dir)
	for range 2 { // discarding twice is not an error
		must(t, a.DiscardJournal("zH4kQ2ab"))
	}
	if left := a.Unfinished(); len(left) != 0 {
		t.Errorf("%d journals left", len(left))
	}
	crash(t, a)
	if left := openArchive(t, dir).Unfinished(); len(left) != 0 {
		t.Errorf("%d journals left on disk", len(left))
	}
}

// An id comes from the network and must not lead out of the folder.
func TestArchive_JournalRejectsPaths(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, filepath.Join(dir, "records"))
	for _, id := range []string{"", "../../x", "a/b", `a\b`, "a.b", "x\x00", strings.Repeat("a", 33)} {
		if _, err := a.Journal(id); err == nil {
			t.Errorf("a journal for the id %q", id)
		}
		if err := a.DiscardJournal(id); err != nil {
			t.Errorf("discarding %q: %v", id, err)
		}
	}
}

func TestJournal_WriteError(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	must(t, os.Mkdir(filepath.Join(dir, liveDir, "zH4kQ2ab.jsonl"), 0o755))
	j, err := a.Journal("zH4kQ2ab")
	if err != nil {
		t.Fatal(err)
	}
	_ = j.Begin(sample(t, "zH4kQ2ab", august))
	if err := j.Close(); err == nil || !strings.Contains(err.Error(), "journal of game zH4kQ2ab") {
		t.Errorf("closed with %v", err)
	}
}

func TestJournal_Nil(t *testing.T) {
	var j *Journal
	g := sample(t, "zH4kQ2ab", august)
	if err := errors.Join(j.Begin(g), j.Update(g.Game, g.Notes), j.MarkGreeted(), j.SetCounts(1, 0), j.Close()); err != nil || j.Resumed() != nil {
		t.Errorf("a nil journal: %v, %v", err, j.Resumed())
	}
}

// FuzzJournal: any text can be read as a journal, and the result can be archived.
func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"game":{"fen":"` + rules.StartFEN + `"}}` + "\n" + `{"move":{"ply":0,"uci":"e2e4","clock_ms":1,"eval":{"cp":1,"depth":2}}}` + "\n" + `{"back":0}`))
	f.Add([]byte(`{"game":{"fen":"` + rules.StartFEN + `"}}` + "\n" + `{"takebacks":-1}` + "\n" + `{"back":-1}` + "\n" + `{"move":{"ply":-1}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		l := readJournal("zH4kQ2ab", text)
		if l.Game.Game == nil {
			return
		}
		if l.Game.Game.Ply() != len(l.Notes) {
			t.Fatalf("%d plies, %d notes", l.Game.Game.Ply(), len(l.Notes))
		}
		_ = l.PGN().String()
	})
}
