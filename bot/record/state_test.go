package record

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/internal/fixture"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// dataOf returns a copy of what a state holds.
func dataOf(s *StateFile) (d State) {
	s.View(func(held *State) { d = *held })
	return d
}

func openFile(t *testing.T, dir string) *StateFile {
	t.Helper()
	s, err := OpenState(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fill sets every field, so that a field that is not written is noticed.
func fill(d *State) {
	d.Openings = []time.Time{noon}
	d.Challenges = []time.Time{noon.Add(time.Minute)}
	d.BotGames["abcdefgh"] = noon
	d.BotGamesClosed = noon.Add(time.Hour)
	d.AssignmentKey = []byte("key")
	d.Pause = &Pause{Since: noon, Keep: true}
	d.Running = noon
	*d.Opponent("rival") = Opponent{
		Refusals: 2, RestUntil: noon, Reason: "later",
		Declined: []Terms{{Control: "180+2", Rated: true}}, TermsUntil: noon, Aborts: []time.Time{noon},
		Pending: &PendingGame{Terms: Terms{"60+1", true}, White: true, Until: noon},
	}
}

func TestStateFile_SurvivesRestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "records")
	s := openFile(t, dir)
	must(t, s.Update(fill))
	if diff := cmp.Diff(dataOf(s), dataOf(openFile(t, dir))); diff != "" {
		t.Error(diff)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("files %v, error %v: want the state alone", files, err)
	}
}

// A pause that is not to be kept ends with its run.
func TestStateFile_Pause(t *testing.T) {
	dir := t.TempDir()
	for _, keep := range []bool{true, false} {
		must(t, openFile(t, dir).Update(func(d *State) { d.Pause = &Pause{Since: noon, Keep: keep} }))
		if p := dataOf(openFile(t, dir)).Pause; (p != nil) != keep {
			t.Errorf("kept %t: %+v", keep, p)
		}
	}
}

// What cannot be read spoils nothing else.
func TestOpenState_DamagedIsSetAside(t *testing.T) {
	const wrong = `{"opponents": 3, "bot_games": [], "pause": {"keep": true}}`
	for name, text := range map[string]string{"truncated": `{"openings": ["2026-`, "empty": "",
		"wrong": wrong, "bad time": strings.Replace(wrong, `"bot_games": []`, `"running": 5`, 1)} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, stateFileName)
			fixture.Write(t, path, text)
			s, err := OpenState(dir)
			if err == nil || !strings.Contains(err.Error(), ".damaged") {
				t.Errorf("error %v, want one that names the renamed file", err)
			}
			if aside, _ := filepath.Glob(path + ".*.damaged"); len(aside) != 1 || fixture.Read(t, aside[0]) != text {
				t.Errorf("set aside as %v", aside)
			}
			next := openFile(t, dir) // of a run after a crash
			for _, s := range []*StateFile{s, next} {
				if d := dataOf(s); (d.Pause != nil) != strings.Contains(text, "pause") {
					t.Errorf("read as %+v", d)
				}
			}
			if err := s.Update(fill); err != nil {
				t.Error(err)
			}
			openFile(t, dir)
		})
	}
}

// A file that cannot be read stays as it is, also once it could be replaced.
func TestOpenState_UnreadableIsKept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, stateFileName)
	if err := os.Symlink(path, path); err != nil { // not even root can follow it
		t.Fatal(err)
	}
	s, err := OpenState(dir)
	if err == nil {
		t.Error("no error")
	}
	must(t, os.Remove(path))
	const text = `{"bot_games": {}}`
	fixture.Write(t, path, text)
	if err := s.Update(fill); err != nil {
		t.Error(err)
	}
	if kept, err := os.ReadFile(path); err != nil || string(kept) != text {
		t.Errorf("the file holds %q, %v", kept, err)
	}
}

func TestOpenState_NormalizesNulls(t *testing.T) {
	dir := t.TempDir()
	fixture.Write(t, filepath.Join(dir, stateFileName), `{"bot_games": null, "opponents": {"x": null}}`)
	s := openFile(t, dir)
	must(t, s.Update(func(d *State) { d.BotGames["a"] = noon; d.Opponent("x").Refusals++ }))
}

func TestStateFile_WriteError(t *testing.T) {
	dir := t.TempDir()
	s := openFile(t, dir)
	must(t, os.Mkdir(filepath.Join(dir, stateFileName), 0o700))
	if err := s.Update(fill); err == nil {
		t.Fatal("no error with a folder in place of the file")
	}
	must(t, os.Remove(filepath.Join(dir, stateFileName)))
	must(t, s.Update(func(d *State) { d.Openings = append(d.Openings, noon) }))
	if again := dataOf(openFile(t, dir)); len(again.Openings) != 2 || again.Opponents["rival"] == nil {
		t.Errorf("the change that could not be written is lost: %+v", again)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.json.*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A state file of version 1 is read: it is written as it was, but for the key that it lacks, and
// for the terms that were declined, which it has in another form.
func TestStateFile_OfVersion1(t *testing.T) {
	want := fixture.Read(t, filepath.Join("testdata", "v1", stateFileName))
	path := filepath.Join(t.TempDir(), stateFileName)
	fixture.Write(t, path, want)
	want = regexp.MustCompile(`(?s)\t\t\t"terms": .*?},\n`).ReplaceAllString(want, "")
	f := openFile(t, filepath.Dir(path))
	must(t, os.Remove(path))
	must(t, f.Update(func(d *State) { d.AssignmentKey = nil }))
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("rewritten as\n%s\nwant\n%s, error %v", got, want, err)
	}
}

// The state can be read while an update waits for the disk, and one write covers all
// updates that wait.
func TestStateFile_BlockedDisk(t *testing.T) {
	const changes = 5
	dir, attempts, unblocked := t.TempDir(), make(chan struct{}, changes), make(chan struct{})
	s := openFile(t, dir)
	s.SetSync(func(*os.File) error { attempts <- struct{}{}; <-unblocked; return nil })
	var updates sync.WaitGroup
	for range changes {
		updates.Go(func() {
			if err := s.Update(func(d *State) { d.Opponent("alice").Refusals++ }); err != nil {
				t.Error(err)
			}
		})
	}
	<-attempts
	refusals := func(s *StateFile) (n int) {
		s.View(func(d *State) { n = d.Opponents["alice"].Refusals })
		return n
	}
	fixture.Until(t, "all changes are in memory", func() bool { return refusals(s) == changes })
	close(unblocked)
	updates.Wait()
	if n := refusals(openFile(t, dir)); n != changes || len(attempts) > 1 {
		t.Errorf("%d changes on disk, written %d times after the first", n, len(attempts))
	}
}
