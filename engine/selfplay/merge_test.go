package selfplay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/engine/match"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// generateFile plays games into a file.
func generateFile(t *testing.T, path string, o Options) {
	t.Helper()
	writeFile(t, path, o.Recipe, func(w *Writer, games int) error {
		o.Skip = games
		_, err := Generate(t.Context(), o, w, nil)
		return err
	})
}

// generateShards plays games in shards, the last of which is interrupted and resumed, and
// returns the files, the last one first.
func generateShards(t *testing.T, o Options, count int) (files []string) {
	t.Helper()
	dir := t.TempDir()
	for i := range count {
		o.Shard = match.Shard{Index: i, Count: count}
		path := filepath.Join(dir, fmt.Sprintf("%d.zhg", i))
		if i == count-1 {
			part := o
			part.Games /= 2
			generateFile(t, path, part)
		}
		o.Workers = i%2 + 1
		generateFile(t, path, o)
		files = append(files, path)
	}
	slices.Reverse(files)
	return files
}

// Shards play the games that one process plays, and merged they are the file that it
// writes, byte for byte.
func TestMerge_IsTheFileOfOneProcess(t *testing.T) {
	o := smallOptions()
	o.Nodes, o.Games, o.Plies = 60, 10, math.MaxInt
	whole := filepath.Join(t.TempDir(), "whole.zhg")
	generateFile(t, whole, o)
	want := fixture.Read(t, whole)
	files := generateShards(t, o, 3)
	merged := filepath.Join(t.TempDir(), "merged.zhg")
	games, plies, err := Merge(t.Context(), merged, files)
	if err != nil {
		t.Fatal(err)
	}
	if got := fixture.Read(t, merged); got != want {
		t.Errorf("%d bytes differ from the %d of one process", len(got), len(want))
	}
	all, err := readGames(whole)
	if err != nil || games != 10 || len(all) != 10 {
		t.Errorf("%d games, one process has %d, %v; want 10", games, len(all), err)
	}
	for _, g := range all {
		plies -= len(g.Plies)
	}
	if plies != 0 {
		t.Errorf("%d plies more than those of one process", plies)
	}
	if _, _, err := Merge(t.Context(), merged, files); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("merging again returned %v", err)
	}
}

func TestMerge_Refuses(t *testing.T) {
	path := func(name string) string { return filepath.Join(t.TempDir(), name) }
	write := func(name string, r Recipe, games int) string {
		file := path(name)
		writeFile(t, file, r, func(w *Writer, _ int) (err error) {
			for range games {
				err = errors.Join(err, w.Add(&Game{Result: rules.Draw}))
			}
			return err
		})
		return file
	}
	recipe := func(text string) Recipe {
		r := testRecipe
		sh, err := match.ParseShard(text)
		if err != nil {
			t.Fatal(err)
		}
		r.Shard = sh
		return r
	}
	other := recipe("1/2")
	other.Nodes++
	first, second := write("first", recipe("0/2"), 3), write("second", recipe("1/2"), 2)
	truncated := write("truncated", recipe("1/2"), 2)
	whole := fixture.Read(t, truncated)
	fixture.Write(t, truncated, whole[:len(whole)-3])
	for want, files := range map[string][]string{
		"no file of shard 1/2":                            {first},
		"is of another run than " + first + ": nodes 701": {first, write("other", other, 2)},
		"short, shard 1/2, has no game 3, but " + first:   {first, write("short", recipe("1/2"), 1)},
		"first, shard 0/2, has no game 6":                 {first, write("long", recipe("1/2"), 4)},
		"truncated block":                                 {first, truncated},
		"no such file":                                    {first, path("none")},
	} {
		out := path("merged")
		if _, _, err := Merge(t.Context(), out, files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Merge returned %v, want %q", err, want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: a file is left behind", want)
		}
	}
	if games, _, err := Merge(t.Context(), path("merged"), []string{second, first}); err != nil || games != 5 {
		t.Errorf("%d games, %v, want 5", games, err)
	}
}

// countdown is a context that is cancelled once Err has been called a number of times.
type countdown struct {
	context.Context
	calls int
}

func (c *countdown) Err() error {
	if c.calls--; c.calls < 0 {
		return context.Canceled
	}
	return nil
}

// A part of the games would pass for all of them.
func TestMerge_Interrupted(t *testing.T) {
	o := smallOptions()
	o.Nodes, o.Games, o.Plies = 60, 4, math.MaxInt
	files := generateShards(t, o, 2)
	out := filepath.Join(t.TempDir(), "merged.zhg")
	calls := 0
	for ; ; calls++ {
		_, _, err := Merge(&countdown{t.Context(), calls}, out, files)
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("interrupted after %d checks, Merge returned %v", calls, err)
		}
		if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("interrupted after %d checks, it leaves a file: %v", calls, err)
		}
	}
	if want := o.Games; calls < want {
		t.Errorf("it can be interrupted at %d points, want at least %d", calls, want)
	}
}
