package train

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/zhbot/zhbot/engine/selfplay"
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
	plies := 0
	for _, n := range r.Histogram {
		plies += n
	}
	if r.Games != 51 || r.Duplicates != 1 || r.Results[rules.Draw] != 51 || r.Plies != plies || r.Quiet == 0 || r.Quiet >= r.Plies || len(r.Endings) == 0 {
		t.Errorf("report %+v", r)
	}
}

// Games after a damaged block are not left out in silence.
func TestInspect_RefusesDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games")
	games := materialGames(t, 30)
	writeGames(t, path, games[:10])
	first, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	writeGames(t, path, games[10:20])
	writeGames(t, path, games[20:])
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file[first.Size()-5] ^= 1
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Inspect(t.Context(), []string{path}); !errors.Is(err, selfplay.ErrDamaged) {
		t.Errorf("Inspect returned %v", err)
	}
	if _, _, _, err := LoadSamples(t.Context(), []string{path}, Filter{}, Objective{ScoreScale: 400}, 10, Storage{}); !errors.Is(err, selfplay.ErrDamaged) {
		t.Errorf("LoadSamples returned %v", err)
	}
}

func TestWriteCurve_IsXML(t *testing.T) {
	for _, history := range [][]EpochLoss{nil, {{Train: 0.1}}, {{Train: 0.1, Validation: 0.12}, {Train: 0.09, Validation: 0.11}, {Train: 0.08, Validation: 0.1}}} {
		var b bytes.Buffer
		if err := WriteCurve(&b, history); err != nil {
			t.Fatal(err)
		}
		for d := xml.NewDecoder(&b); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%d epochs: %v", len(history), err)
			}
		}
	}
}
