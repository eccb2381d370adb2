package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

func TestSummaries_Error(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "games.pgn"), 0o755))
	if _, _, err := ReadFiles(t.Context(), dir); err == nil {
		t.Error("a folder is read as a file")
	}
}

func TestSummary_Speed(t *testing.T) {
	for control, want := range map[string]lichess.Speed{
		"15+0": "ultraBullet", "29+0": "ultraBullet", "30+0": "bullet", "0+1": "bullet", "60": "bullet",
		"120+1": "bullet",
		"180+0": "blitz", "180+2": "blitz", "479+0": "blitz", "480+0": "rapid", "600+5": "rapid", "1500+0": "classical",
		"15+0.2": "ultraBullet", "-": "correspondence", "1/259200": "correspondence", "": "", "?": "",
		"40/9000": "", "60+x": "",
	} {
		var s Summary
		if s.setTimeControl(control); s.Speed != want {
			t.Errorf("%q is %q, want %q", control, s.Speed, want)
		}
	}
}

func TestReadFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bot[1]") // no pattern
	a := openArchive(t, dir)
	for i, created := range []time.Time{august.AddDate(0, 1, 0), august, august.AddDate(0, 0, -1)} {
		must(t, a.Save(sample(t, fmt.Sprint("game", i), created)))
	}
	// Other systems write names in upper case.
	must(t, os.Rename(filepath.Join(dir, "2026-10.pgn"), filepath.Join(dir, "2026-10.PGN")))
	games, _, err := ReadFiles(t.Context(), dir, filepath.Join(dir, "2026-08.pgn"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range games {
		got = append(got, g.ID)
	}
	if diff := cmp.Diff([]string{"game2", "game1", "game0"}, got); diff != "" {
		t.Errorf("games in order, each once (-want +got):\n%s", diff)
	}
	unfinished := sample(t, "game1", august)
	unfinished.Result, unfinished.Status = rules.NoResult, lichess.StatusUnknownFinish
	first := filepath.Join(t.TempDir(), "first.pgn")
	fixture.Write(t, first, unfinished.PGN().String())
	if games, _, err = ReadFiles(t.Context(), first, dir, first); err != nil || len(games) != 3 ||
		games[1].Result != rules.WhiteWins {
		t.Errorf("a game also recorded without result: %d games, error %v", len(games), err)
	}
	if _, _, err := ReadFiles(t.Context(), filepath.Join(dir, "none.pgn")); err == nil ||
		!strings.Contains(err.Error(), "none.pgn") {
		t.Errorf("a missing file: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := ReadFiles(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted, it returned %v", err)
	}
}

// A game that Lichess exports is the one that was recorded, by its id or its address.
func TestReadGames_Exported(t *testing.T) {
	recorded := sample(t, "zH4kQ2ab", august).PGN().String()
	exported := strings.ReplaceAll(
		strings.ReplaceAll(recorded, "Rated Crazyhouse", "rated crazyhouse"), "[GameId \"zH4kQ2ab\"]\n", "",
	)
	path := filepath.Join(t.TempDir(), "lichess.pgn")
	fixture.Write(t, path, exported+recorded+exported+strings.ReplaceAll(exported, "zH4kQ2ab", "another0"))
	games, _, err := ReadFiles(t.Context(), path, path)
	if err != nil || len(games) != 2 || games[0].ID != "zH4kQ2ab" || !games[0].Rated {
		t.Errorf("%d games, %v", len(games), err)
	}
	var ids []string
	err = ReadGames(t.Context(), []string{path, path}, func(f *FinishedGame) { ids = append(ids, f.ID) })
	if err != nil || !cmp.Equal(ids, []string{"zH4kQ2ab", "another0"}) {
		t.Errorf("games %v, %v", ids, err)
	}
}

func TestGameID(t *testing.T) {
	for site, want := range map[string]string{
		"https://lichess.org/zH4kQ2ab": "zH4kQ2ab", "http://127.0.0.1:8080/zH4kQ2ab": "",
		"https://lichess.org/study/aaaaaaaa/bbbbbbbb": "", "https://lichess.org/zH4kQ2abCdEf/black": "zH4kQ2ab",
		"": "", "?": "", "zH4kQ2ab": "", "https://lichess.org": "", "http://mymachin": "",
		"https://example.org/club": "",
	} {
		if got := GameID(func(name string) string { return map[string]string{"Site": site}[name] }); got != want {
			t.Errorf("%q has the id %q, want %q", site, got, want)
		}
	}
}

func TestResultOf(t *testing.T) {
	for _, tt := range []struct {
		status lichess.Status
		winner lichess.Color
		want   rules.Result
	}{
		{lichess.StatusMate, lichess.White, rules.WhiteWins},
		{lichess.StatusTimeout, lichess.Black, rules.BlackWins},
		{lichess.StatusTimeout, "", rules.Draw},
		{lichess.StatusStalemate, "", rules.Draw},
		{"inventedByServer", "", rules.NoResult},
		{lichess.StatusStarted, "", rules.NoResult},
		{lichess.StatusAborted, "", rules.NoResult},
		{lichess.StatusNoStart, "", rules.NoResult},
		{lichess.StatusUnknownFinish, "", rules.NoResult},
	} {
		if got := ResultOf(tt.status, tt.winner); got != tt.want {
			t.Errorf("%s, winner %q: %s, want %s", tt.status, tt.winner, got, tt.want)
		}
	}
}
