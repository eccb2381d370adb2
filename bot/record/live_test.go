package record

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
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

// track keeps a game's first plies as in progress, on disk.
func track(t *testing.T, a *Archive, g *Game, plies int) *Live {
	t.Helper()
	l := &Live{unfinishedGame(g, plies), true, 2, "7.5"}
	a.Track(l)
	must(t, a.WriteLive())
	return l
}

// compareGames compares games by start position and moves.
var compareGames = cmp.Options{cmp.Comparer(func(x, y *rules.Game) bool {
	return (x == nil) == (y == nil) && (x == nil || *x.Start() == *y.Start() && cmp.Equal(x.Moves(), y.Moves()))
})}

// unfinishedGame returns a game after its first plies, without result.
func unfinishedGame(g *Game, plies int) *Game {
	r := new(*g)
	r.Board = rules.NewGame(*g.Board.Start())
	for _, m := range g.Board.Moves()[:plies] {
		if err := r.Board.Play(m); err != nil {
			panic(err)
		}
	}
	r.Notes = g.Notes[:plies]
	r.RatingKnown, r.White.RatingDiff, r.Black.RatingDiff = false, 0, 0
	r.Status, r.Result = lichess.StatusUnknownFinish, rules.NoResult
	return r
}

// A crash loses nothing of a game in progress that is on disk, and writes a finished one
// neither twice nor never.
func TestLive_SurvivesCrash(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	g := sample(t, "zH4kQ2ab", august)
	g.Version, g.Network, g.Program = "v1.2.3", "zh-0123456789ab", "Fairy-Stockfish 11.1"
	g.Contender, g.ContenderFor, g.Fallbacks, g.Notes[0].Lag = "new network", "speeds: bullet", 3, 45*time.Millisecond
	want := track(t, a, g, 13)
	live := contents(t, dir, liveFileName)
	must(t, a.lock.Close())

	a = openArchive(t, dir)
	if diff := cmp.Diff(want, a.Live(g.ID), compareGames); diff != "" || !slices.Equal(a.Unfinished(), []string{g.ID}) {
		t.Errorf("in progress: %v (-want +got):\n%s", a.Unfinished(), diff)
	}
	a.Untrack("none")
	obstacle := filepath.Join(dir, "2026-08.pgn")
	must(t, os.Mkdir(obstacle, 0o755))
	if a.Save(g) == nil || a.Live(g.ID) != nil || len(a.Unfinished()) > 0 {
		t.Errorf("while the finished game waits for the disk, in progress are %v", a.Unfinished())
	}
	must(t, errors.Join(os.Remove(obstacle), a.Close()))

	fixture.Write(t, filepath.Join(dir, liveFileName), live) // a crash came between both files
	a = openArchive(t, dir)
	must(t, errors.Join(a.Save(g), a.Close()))
	if got := ids(t, dir, "2026-08.pgn"); !cmp.Equal(got, []string{g.ID}) || len(openArchive(t, dir).Unfinished()) > 0 {
		t.Errorf("the archive holds %v", got)
	}
}

// What cannot be read, of this version or an older one, is set aside, and games go on.
func TestLive_Damaged(t *testing.T) {
	start := `"fen":"` + rules.StartFEN + `"`
	for text, want := range map[string]int{
		"": -1, "{": -1, "[]": -1, `{"a":{"fen":"x"}}`: -1, `{"a":{` + start + `,"moves":7}}`: -1,
		`{"0":{"fen":"x"},"a":{` + start + `},"b":{"fen":7}}`: 0, "null": 0, `{"a":null}`: 0, `{"a":{` + start + `}}`: 0,
		`{"a":{` + start + `,"moves":"e2e4 e2e4","notes":[]}}`: 1,
	} {
		dir := t.TempDir()
		fixture.Write(t, filepath.Join(dir, liveFileName), text)
		a := openArchive(t, dir)
		if aside := len(a.Repairs()) == 1; aside != (want < 0 || strings.Contains(text, `"b"`)) {
			t.Errorf("%s: repairs %v", text, a.Repairs())
		}
		unfinished, left := a.Unfinished(), want >= 0 && strings.Contains(text, start)
		if len(unfinished) == 1 != left {
			t.Errorf("%s: %v left", text, unfinished)
		}
		for _, id := range unfinished {
			if g := a.Live(id).Game; g.ID != "a" || g.Board.Ply() != want || len(g.Notes) != want {
				t.Errorf("%s: %d plies, %d notes", text, g.Board.Ply(), len(g.Notes))
			}
		}
		g := sample(t, "zH4kQ2ab", august)
		track(t, a, g, 3)
		crash(t, a)
		if openArchive(t, dir).Live(g.ID) == nil {
			t.Errorf("%s: what was written in its place is not read", text)
		}
	}
}
