package record

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules/pgn"
)

func TestArchive_Save(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "records")
	a := openArchive(t, dir)
	for _, g := range []*Game{
		sample(t, "zH4kQ2ab", august),
		sample(t, "second00", august.Add(time.Second)),
		sample(t, "third000", august.Add(3*time.Second).In(time.FixedZone("west", -3600*5))),
	} {
		must(t, a.Save(g))
	}
	if diff := cmp.Diff(samplePGN, contents(t, dir, "2026-08.pgn")[:len(samplePGN)]); diff != "" {
		t.Errorf("August (-want +got):\n%s", diff)
	}
	if got := ids(t, dir, "2026-08.pgn"); !cmp.Equal(got, []string{"zH4kQ2ab", "second00"}) {
		t.Errorf("August holds %v", got)
	}
	if got := ids(t, dir, "2026-09.pgn"); !cmp.Equal(got, []string{"third000"}) {
		t.Errorf("September holds %v", got)
	}
}

func TestOpen_NotAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	fixture.Write(t, file, "")
	if _, err := Open(file); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("got %v, want an error that names %s", err, file)
	}
}

func contents(t *testing.T, dir, file string) string {
	t.Helper()
	return fixture.Read(t, filepath.Join(dir, file))
}

// ids returns the ids of the whole games in a file.
func ids(t *testing.T, dir, file string) (list []string) {
	t.Helper()
	r := pgn.NewReader(strings.NewReader(contents(t, dir, file)))
	for {
		g, err := r.Next()
		var bad *pgn.GameError
		switch {
		case err == io.EOF:
			return list
		case errors.As(err, &bad):
		case err != nil:
			t.Fatal(err)
		case len(g.Moves) == 15:
			list = append(list, g.Tag("GameId"))
		}
	}
}

// After a full disk the pending games are written by the next game, Flush or Close.
func TestArchive_WritesPendingGames(t *testing.T) {
	for name, write := range map[string]func(*Archive) error{
		"flush": (*Archive).Flush, "close": (*Archive).Close,
		"save": func(a *Archive) error { return a.Save(sample(t, "third000", august)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			a := openArchive(t, dir)
			file := filepath.Join(dir, "2026-08.pgn")
			must(t, os.Mkdir(file, 0o755))
			want := []string{"first000", "second00"}
			for _, id := range want {
				if err := a.Save(sample(t, id, august)); err == nil || !strings.Contains(err.Error(), "save game "+id) {
					t.Errorf("saving %s: %v", id, err)
				}
			}
			must(t, errors.Join(os.Remove(file), write(a)))
			if name == "save" {
				want = append(want, "third000")
			}
			if got := ids(t, dir, "2026-08.pgn"); !cmp.Equal(got, want) {
				t.Errorf("the file holds %v", got)
			}
		})
	}
}

// Games beyond those that may wait are dropped, oldest first, and counted, also at the end.
func TestArchive_Dropped(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	obstacle := filepath.Join(dir, "2026-08.pgn")
	must(t, os.Mkdir(obstacle, 0o755))
	a.pending = make([]*pendingGame, maxPending-1)
	for i := range a.pending {
		a.pending[i] = &pendingGame{file: "2026-08.pgn"}
	}
	for range 3 {
		if err := a.Save(sample(t, "zH4kQ2ab", august)); err == nil {
			t.Error("saved in place of a folder")
		}
	}
	if b := a.Backlog(); b.Waiting != maxPending || b.Dropped != 2 ||
		!strings.Contains(b.String(), "waiting to be written: 1000, dropped: 2; nothing") {
		t.Errorf("backlog %s", b)
	}
	must(t, os.Remove(obstacle))
	if err := a.Close(); err == nil || !strings.Contains(err.Error(), "dropped: 2") {
		t.Errorf("closed with %v", err)
	}
}

// A game in a new file is not written twice if the folder could not be synced.
func TestArchive_RetriesFolderSync(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "records")
	away := dir + "-away"
	a := openArchive(t, dir)
	a.SetSync(func(f *os.File) error { return errors.Join(f.Sync(), os.Rename(dir, away)) })
	if a.Save(sample(t, "first000", august)) == nil {
		t.Error("no error although the folder is away")
	}
	a.SetSync((*os.File).Sync)
	_ = os.Rename(away, dir) // Windows does not rename a folder with open files: there, the file's sync failed
	must(t, a.Flush())
	if got := ids(t, dir, "2026-08.pgn"); !cmp.Equal(got, []string{"first000"}) {
		t.Errorf("the file holds %v", got)
	}
}
