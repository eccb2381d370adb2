package record

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// gamesSince returns the games of an archive since a time.
func gamesSince(t *testing.T, a *Archive, since time.Time) (games []*Game) {
	t.Helper()
	must(t, a.GamesSince(t.Context(), since, func(g *Game) { games = append(games, g) }))
	return games
}

func TestArchive_GamesSince(t *testing.T) {
	a := openArchive(t, t.TempDir())
	want := sample(t, "zH4kQ2ab", august)
	lost := sample(t, "lost0000", august.Add(2*time.Second))
	lost.Status, lost.Result, lost.Clock, lost.Rated, lost.RatingKnown = "outoftime", rules.BlackWins, lichess.Clock{}, false, false
	lost.Speed = "correspondence"
	old := sample(t, "old00000", august.Add(-40*24*time.Hour))
	for _, g := range []*Game{old, want, lost} {
		must(t, a.Save(g))
	}
	games := gamesSince(t, a, august)
	if len(games) != 2 {
		t.Fatalf("%d games since August, want 2", len(games))
	}
	for i, g := range []*Game{want, lost} {
		if !g.RatingKnown {
			g.White.RatingDiff, g.Black.RatingDiff = 0, 0
		}
		ignore := cmpopts.IgnoreFields(Game{}, "Game")
		if diff := cmp.Diff(g, games[i], ignore); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(uci(g.Board), uci(games[i].Board)); diff != "" {
			t.Error(diff)
		}
	}
	if all := gamesSince(t, a, time.Time{}); len(all) != 3 || all[0].ID != "old00000" {
		t.Errorf("%d games in all, want 3, the oldest month first", len(all))
	}
}

func uci(g *rules.Game) (list []string) {
	for _, m := range g.Moves() {
		list = append(list, m.String())
	}
	return list
}

func TestArchive_GamesSinceSkipsInvalid(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	must(t, a.Save(sample(t, "good0000", august)))
	path := filepath.Join(dir, "2026-08.pgn")
	text := filetest.Read(t, path)
	bad := "[Event \"by hand\"]\n\n1. e4 Qh3 *\n\n"
	filetest.Write(t, path, append([]byte(bad), text...))
	if games := gamesSince(t, a, time.Time{}); len(games) != 1 || games[0].ID != "good0000" {
		t.Errorf("%d games, want the good one", len(games))
	}
}

// A folder's name may be a pattern.
func TestArchive_BracketsInPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bot[1]")
	must(t, openArchive(t, dir).Save(sample(t, "zH4kQ2ab", august)))
	if games, err := ReadFiles(t.Context(), dir); err != nil || len(games) != 1 {
		t.Errorf("ReadFiles: %d games, %v", len(games), err)
	}
	read := 0
	count := func(*FinishedGame) { read++ }
	if err := ReadGames(t.Context(), []string{dir}, count); err != nil || read != 1 {
		t.Errorf("ReadGames: %d games, %v", read, err)
	}
	if err := NewHistory(dir).Read(t.Context(), count); err != nil || read != 2 {
		t.Errorf("after History: %d games, %v", read, err)
	}
}
