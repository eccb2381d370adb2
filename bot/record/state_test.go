package record

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// memoryOf returns a copy of what a state holds.
func memoryOf(s *State) (m Memory) {
	s.View(func(held *Memory) { m = *held })
	return m
}

func openState(t *testing.T, dir string) *State {
	t.Helper()
	s, err := OpenState(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fill sets every field, so that a field that is not written is noticed.
func fill(m *Memory) {
	m.Openings = []time.Time{noon}
	m.Challenges = []time.Time{noon.Add(time.Minute)}
	m.BotGames["abcdefgh"] = noon
	m.BotGamesClosed = noon.Add(time.Hour)
	*m.Opponent("rival") = Opponent{
		Refusals: 2, RestUntil: noon, Reason: "later",
		Terms:      Terms{TooFast: time.Minute, TooSlow: time.Hour, Controls: []string{"180+2"}, Rated: true, Casual: true},
		TermsUntil: noon, Aborts: []time.Time{noon},
		Pending: &PendingGame{Control: "60+1", Rated: true, White: true, Until: noon},
	}
}

func TestState_SurvivesRestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "records")
	s := openState(t, dir)
	if err := s.Update(fill); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(memoryOf(s), memoryOf(openState(t, dir))); diff != "" {
		t.Error(diff)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("files %v, error %v: want the state alone", files, err)
	}
}

func TestNewMemoryState(t *testing.T) {
	s := NewMemoryState()
	if err := s.Update(fill); err != nil {
		t.Fatal(err)
	}
	if memoryOf(s).Opponents["rival"].Refusals != 2 {
		t.Error("the change is lost")
	}
}

func TestOpenState_DamagedIsSetAside(t *testing.T) {
	for name, text := range map[string]string{"truncated": `{"openings": ["2026-`, "empty": "", "wrong": `{"opponents": 3}`} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, stateFile)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := OpenState(dir)
			if err == nil || !strings.Contains(err.Error(), ".damaged") {
				t.Errorf("error %v, want one that names the renamed file", err)
			}
			if kept, err := os.ReadFile(path + ".damaged"); err != nil || string(kept) != text {
				t.Errorf("renamed file holds %q, %v", kept, err)
			}
			if err := s.Update(fill); err != nil {
				t.Error(err)
			}
			openState(t, dir)
		})
	}
}

func TestOpenState_NormalizesNulls(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, stateFile), []byte(`{"bot_games": null, "opponents": {"x": null}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openState(t, dir)
	if err := s.Update(func(m *Memory) { m.BotGames["a"] = noon; m.Opponent("x").Refusals++ }); err != nil {
		t.Fatal(err)
	}
}

func TestState_WriteError(t *testing.T) {
	dir := t.TempDir()
	s := openState(t, dir)
	if err := os.Mkdir(filepath.Join(dir, stateFile), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(fill); err == nil {
		t.Fatal("no error with a folder in place of the file")
	}
	if err := os.Remove(filepath.Join(dir, stateFile)); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(func(m *Memory) { m.Openings = append(m.Openings, noon) }); err != nil {
		t.Fatal(err)
	}
	if again := memoryOf(openState(t, dir)); len(again.Openings) != 2 || again.Opponents["rival"] == nil {
		t.Errorf("the change that could not be written is lost: %+v", again)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.json.*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestState_Concurrent(t *testing.T) {
	dir := t.TempDir()
	s := openState(t, dir)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := s.Update(func(m *Memory) { m.Opponent("rival").Refusals++ }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := memoryOf(openState(t, dir)).Opponents["rival"].Refusals; got != 20 {
		t.Errorf("%d of 20 changes are on disk", got)
	}
}
