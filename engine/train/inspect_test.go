package train

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/zhbot/zhbot/engine/selfplay"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

func TestInspect(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games")
	games := materialGames(t, 50)
	writeGames(t, path, append(games, games[7]))
	r, err := Inspect(t.Context(), []string{path})
	if err != nil {
		t.Fatal(err)
	}
	if r.Games != 51 || r.Duplicates != 1 || r.Results[rules.Draw] != 51 || r.OpeningPlies != 8*51 || r.Learned == 0 ||
		r.Learned >= r.Plies {
		t.Errorf("report %+v", r)
	}
}

// Games after a damaged block are not left out in silence.
func TestInspect_RefusesDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games")
	games := materialGames(t, 30)
	writeGames(t, path, games[:10])
	first := len(fixture.Read(t, path))
	writeGames(t, path, games[10:20])
	writeGames(t, path, games[20:])
	file := []byte(fixture.Read(t, path))
	file[first-5] ^= 1
	fixture.Write(t, path, file)
	if _, err := Inspect(t.Context(), []string{path}); !errors.Is(err, selfplay.ErrDamaged) {
		t.Errorf("Inspect returned %v", err)
	}
	if _, _, _, err := load(t.Context(), Storage{Dir: t.TempDir()}, path); !errors.Is(err, selfplay.ErrDamaged) {
		t.Errorf("LoadSamples returned %v", err)
	}
}
