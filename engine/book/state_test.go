package book

import (
	"context"
	"encoding/json"
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

// A book built in several runs, the second of which follows a crash that cut the file
// short and the third of which wants more positions, is that of a single run.
func TestState_Continues(t *testing.T) {
	dir := t.TempDir()
	want, _ := build(t, filepath.Join(dir, "single"), 70, 0)
	state := filepath.Join(dir, "state")
	build(t, state, 50, 20)
	text := filetest.Read(t, state)
	lines := strings.Count(text, "\n")
	if lines < 10 {
		t.Fatalf("%d lines of state after the interruption", lines)
	}
	filetest.Write(t, state, text[:len(text)-7])
	if _, searched := build(t, state, 50, 0); searched != 50-(lines-2) {
		t.Errorf("%d positions searched although %d of 50 were known", searched, lines-2)
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
	wider := quick
	wider.Replies = 80
	longer := quick
	longer.Nodes = 2000
	for name, tt := range map[string]struct {
		search Search
		text   string
		want   string
	}{
		"other nodes":   {longer, saved, "its nodes was 1000, now 2000"},
		"other replies": {wider, saved, "its replies was 60, now 80"},
		"other version": {quick, header + "\n" + strings.Replace(first, `"scores":[`, `"scores":[1`, 1), "this version of the program"},
		"no position":   {quick, header + "\n{}\n", "line 2: "},
		"illegal move":  {quick, header + "\n" + strings.Replace(first, `"moves":["`, `"moves":["a1`, 1), "line 2: "},
		"lost scores":   {quick, header + "\n" + strings.Replace(first, `"scores":[`, `"scores":[1,`, 1), "scores"},
		"not a state":   {quick, "1. e4 e5\n", "state file"},
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

// Whatever a line contains, it is an error or legal moves with their scores.
func FuzzState_Restore(f *testing.F) {
	f.Add([]byte(`{"position":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1","moves":["e2e4","g1f3"],"scores":[30,-5]}`))
	f.Add([]byte(`{"position":"8/8/8/8/8/8/8/8[] w - - 0 1","moves":["e2e4"],"scores":[30]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		s := &State{known: map[uint64][]ScoredMove{}}
		var position scored
		if json.Unmarshal(line, &position) != nil || s.restore(position) != nil {
			return
		}
		p, err := rules.ParseFEN(s.first.FEN())
		if err != nil || len(s.known) != 1 {
			t.Fatalf("%d positions, %v", len(s.known), err)
		}
		for _, m := range s.known[p.Key()] {
			if !p.IsLegal(m.Move) {
				t.Errorf("%s is illegal", m.Move)
			}
		}
	})
}
