package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// sample is a rated game that White won by a mating drop.
func sample(t *testing.T, id string, created time.Time) *Game {
	t.Helper()
	game := rules.NewGame(rules.StartPosition())
	const moves = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1 g8f6 b1c3 c5f8 c4f7 e8f7 f3g5 f7g8 P@f7"
	rulestest.Play(t, game, moves)
	notes := make([]Note, 15)
	notes[0] = Note{HasClock: true, Clock: 3 * time.Minute, Eval: pgn.Eval{Known: true, Score: pgn.Score{Centipawns: 35}, Depth: 12}}
	notes[1] = Note{HasClock: true, Clock: 179500 * time.Millisecond}
	notes[12] = Note{HasClock: true, Clock: 7 * time.Second, Eval: pgn.Eval{Known: true, Score: pgn.Score{Mate: 1}, Depth: 9}}
	return &Game{
		Summary: Summary{
			ID: id, Site: "https://lichess.org/" + id, Rated: true, Created: created,
			White: Player{Name: "zhbot", Title: "BOT", Rating: 2350, RatingDiff: 3},
			Black: Player{Name: `Drop "Fan"`, Rating: 2011, RatingDiff: -2}, RatingKnown: true, Speed: "blitz",
			Clock: lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second}, Status: "mate", Result: rules.WhiteWins,
		},
		Board: game, Notes: notes,
	}
}

var august = time.Date(2026, 8, 31, 23, 59, 58, 0, time.UTC)

const samplePGN = `[Event "Rated Crazyhouse game"]
[Site "https://lichess.org/zH4kQ2ab"]
[Date "2026.08.31"]
[Round "-"]
[White "zhbot"]
[Black "Drop \"Fan\""]
[Result "1-0"]
[GameId "zH4kQ2ab"]
[UTCDate "2026.08.31"]
[UTCTime "23:59:58"]
[WhiteElo "2350"]
[BlackElo "2011"]
[WhiteRatingDiff "+3"]
[BlackRatingDiff "-2"]
[WhiteTitle "BOT"]
[Variant "Crazyhouse"]
[TimeControl "180+2"]
[Termination "Normal"]

1. e4 { [%eval 0.35,12] [%clk 0:03:00] } 1... e5 { [%clk 0:02:59.5] } 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 5. Nc3 Bf8 6. Bxf7+ Kxf7 7. Ng5+ { [%eval #1,9] [%clk 0:00:07] } 7... Kg8 8. P@f7# 1-0

`

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

func TestArchive_Concurrent(t *testing.T) {
	const writers = 8
	dir := t.TempDir()
	a := openArchive(t, dir)
	var group sync.WaitGroup
	for i := range writers {
		g := sample(t, fmt.Sprint(i), august)
		group.Go(func() {
			if err := a.Save(g); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := ids(t, dir, "2026-08.pgn"); len(got) != writers {
		t.Errorf("%d games, want %d: %v", len(got), writers, got)
	}
}

func TestOpen_NotAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	filetest.Write(t, file, "")
	if _, err := Open(file); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("got %v, want an error that names %s", err, file)
	}
}

func TestGame_PGN(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Game)
		want   map[string]string
	}{
		{"casual, nothing known", func(g *Game) {
			g.Rated, g.RatingKnown, g.Clock, g.White.Rating = false, false, lichess.Clock{}, 0
		}, map[string]string{"Event": "Casual Crazyhouse game", "WhiteElo": "?", "WhiteRatingDiff": "", "TimeControl": "-"}},
		{"fractions", func(g *Game) { g.Clock = lichess.Clock{Initial: 15 * time.Second, Increment: 200 * time.Millisecond} }, map[string]string{"TimeControl": "15+0.2"}},
		{"flag", func(g *Game) { g.Status, g.Result = "outoftime", rules.BlackWins }, map[string]string{"Termination": "Time forfeit", "Result": "0-1"}},
		{"left", func(g *Game) { g.Status, g.Result = "timeout", rules.Draw }, map[string]string{"Termination": "Time forfeit", "PlayerLeft": "yes", "Result": "1/2-1/2"}},
		{"draw", func(g *Game) { g.Status, g.Result = "draw", rules.Draw }, map[string]string{"Termination": "Normal", "Result": "1/2-1/2"}},
		{"cheat", func(g *Game) { g.Status = "cheat" }, map[string]string{"Termination": "Rules infraction", "Result": "1-0"}},
		{"aborted", func(g *Game) { g.Status, g.Result = "aborted", rules.NoResult }, map[string]string{"Termination": "Abandoned", "Result": "*"}},
		{"unknown", func(g *Game) { g.Status, g.Result = "unknownFinish", rules.NoResult }, map[string]string{"Termination": "Unknown", "Result": "*"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := sample(t, "id", august)
			tt.change(g)
			out := g.PGN()
			for name, want := range tt.want {
				if got := out.Tag(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
			if out.Result.String() != out.Tag("Result") {
				t.Errorf("result %q, but the tag says %q", out.Result, out.Tag("Result"))
			}
		})
	}
}

func contents(t *testing.T, dir, file string) string {
	t.Helper()
	return filetest.Read(t, filepath.Join(dir, file))
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
