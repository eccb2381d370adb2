package record

import (
	"os"
	"strings"
	"testing"
	"time"
)

// fixture returns a copy of testdata/v1: what version 1 of the program left on disk
// when it was killed in the middle of two games.
func fixture(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS("testdata/v1")))
	return dir
}

// Games that version 1 recorded are read without loss: they are written as they were.
func TestFixture_Games(t *testing.T) {
	dir := fixture(t)
	var text strings.Builder
	for _, g := range gamesSince(t, openArchive(t, dir), time.Time{}) {
		text.WriteString(g.PGN().String())
	}
	if want := contents(t, dir, "2026-08.pgn") + contents(t, dir, "2026-09.pgn"); text.String() != want {
		t.Errorf("rewritten as\n%s\nwant\n%s", text.String(), want)
	}
}

const resumedMoves = `1. e4 { [%clk 0:03:00] } 1... e5 { [%eval -0.12,14] [%clk 0:02:58.2] } 2. Nf3 { [%clk 0:03:00] } 2... Nc6 { [%eval #-7,21] } *`

// A game that version 1 left unfinished is resumed with all that its journal holds.
func TestFixture_Journals(t *testing.T) {
	a := openArchive(t, fixture(t))
	unfinished := a.Unfinished()
	if len(unfinished) != 2 || unfinished[0].ID != "live0012" || unfinished[1].ID != "torn0013" || unfinished[1].Game.Game != nil {
		t.Fatalf("unfinished %+v", unfinished)
	}
	j, err := a.Journal("live0012")
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	g := j.Resumed()
	if text := g.PGN().String(); !strings.Contains(text, resumedMoves) || !strings.Contains(text, `[TimeControl "180+2"]`) {
		t.Errorf("resumed as\n%s", text)
	}
	if !g.Greeted || g.Takebacks != 1 || g.Notes[1].Lag != 35*time.Millisecond || g.Notes[3].Lag != 1200*time.Millisecond {
		t.Errorf("greeted %t, %d takebacks, notes %+v", g.Greeted, g.Takebacks, g.Notes)
	}
}
