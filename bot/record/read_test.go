package record

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/internal/fixture"
)

// gamesSince returns the games of an archive since a time.
func gamesSince(t *testing.T, a *Archive, since time.Time) (games []*Game) {
	t.Helper()
	must(t, a.GamesSince(t.Context(), since, func(g *Game) { games = append(games, g) }))
	return games
}

// Games are read month by month; those that cannot be parsed are skipped.
func TestArchive_GamesSince(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	for ago, id := range []string{"last0000", "good0000", "before00"} {
		must(t, a.Save(sample(t, id, august.Add(-time.Duration(ago)*20*24*time.Hour))))
	}
	path := filepath.Join(dir, "2026-08.pgn")
	text := fixture.Read(t, path)
	bad := "[Event \"by hand\"]\n\n1. e4 Qh3 *\n\n"
	fixture.Write(t, path, append([]byte(bad), text...))
	for since, want := range map[time.Time]string{
		{}: "before00 last0000 good0000", august.Add(-20 * 24 * time.Hour): "last0000 good0000", august: "last0000",
		august.Add(1): "",
	} {
		var ids []string
		for _, g := range gamesSince(t, a, since) {
			ids = append(ids, g.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("since %s: %q, want %q", since, got, want)
		}
	}
}
