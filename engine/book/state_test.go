package book

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/rules"
)

var quick = Search{Network: nnue.Default(), HashMB: 1, Nodes: MinNodes, Replies: 60}

// build builds a book with the state file and returns it as a file, with the number of
// positions that were searched. After the first few, if not 0, the context ends.
func build(t *testing.T, state string, positions, interruptAfter int) (file string, searched int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s, err := OpenState(t.Context(), state, quick)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var count atomic.Int64
	newScorer := func() Scorer {
		score := NewScorer(quick)
		return s.Scorer(func(ctx context.Context, p *rules.Position) ([]ScoredMove, error) {
			if count.Add(1) == int64(interruptAfter) {
				cancel()
			}
			return score(ctx, p)
		})
	}
	o := BuildOptions{Positions: positions, Plies: 8, Margin: 15, Replies: quick.Replies, Workers: 2}
	b, err := Build(ctx, o, newScorer, nil)
	if interruptAfter > 0 && !errors.Is(err, context.Canceled) || interruptAfter == 0 && err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "book")
	if err := b.Save(path); err != nil {
		t.Fatal(err)
	}
	return filetest.Read(t, path), int(count.Load())
}

// A book built in several runs, the last of which wants more positions, is that of a single
// run.
func TestState_Continues(t *testing.T) {
	dir := t.TempDir()
	want, _ := build(t, filepath.Join(dir, "single"), 70, 0)
	state := filepath.Join(dir, "state")
	build(t, state, 50, 20)
	known := strings.Count(filetest.Read(t, state), "\n") - 1
	if _, searched := build(t, state, 50, 0); known < 10 || searched != 50-known {
		t.Errorf("%d positions searched although %d of 50 were known", searched, known)
	}
	if got, searched := build(t, state, 70, 0); got != want || searched != 20 {
		t.Errorf("the same book: %t, and %d positions searched, want 20", got == want, searched)
	}
}

// The state of another search, or of another version of it, is refused and stays.
func TestOpenState_Refuses(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	build(t, state, 1, 0)
	saved := filetest.Read(t, state)
	header, first, _ := strings.Cut(saved, "\n")
	longer := quick
	longer.Nodes = 2000
	for name, tt := range map[string]struct {
		search Search
		text   string
		want   string
	}{
		"other nodes": {longer, saved, "its nodes was 1000, now 2000"},
		"other version": {quick, header + "\n" + strings.Replace(first, `"scores":[`, `"scores":[1`, 1),
			"this version of the program"},
		"no position":  {quick, header + "\n{}\n", "line 2: "},
		"illegal move": {quick, header + "\n" + strings.Replace(first, `"moves":["`, `"moves":["a1`, 1), "line 2: "},
		"lost scores":  {quick, header + "\n" + strings.Replace(first, `"scores":[`, `"scores":[1,`, 1), "scores"},
	} {
		t.Run(name, func(t *testing.T) {
			filetest.Write(t, state, tt.text)
			s, err := OpenState(t.Context(), state, tt.search)
			if err == nil {
				s.Close()
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), state) {
				t.Errorf("error %v, want %q with the file's name", err, tt.want)
			}
			if now, err := os.ReadFile(state); err != nil || string(now) != tt.text {
				t.Errorf("the file has changed: %v", err)
			}
		})
	}
}
