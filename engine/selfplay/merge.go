package selfplay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"

	"github.com/zhbot/zhbot/engine/match"
)

// Merge writes the games of all shards of a run to a new file, in the order of their
// numbers: the file that one process writes. It returns the number of games and searched
// plies. Files of different runs, and missing or incomplete shards, are an error.
// Interrupted by the context, it leaves at most an empty lock file.
func Merge(ctx context.Context, path string, files []string) (games, plies int, err error) {
	files, recipe, err := orderShards(files)
	if err != nil {
		return 0, 0, err
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		return 0, 0, fmt.Errorf("%s exists already; name a new file", path)
	}
	w, _, _, err := OpenWriter(path, recipe)
	if err != nil {
		return 0, 0, err
	}
	games, plies, err = interleave(ctx, w, files)
	if err := errors.Join(err, w.Close()); err != nil {
		return 0, 0, errors.Join(err, os.Remove(path))
	}
	return games, plies, nil
}

// orderShards returns the files in the order of their shards, and the recipe of them all.
func orderShards(names []string) (files []string, recipe Recipe, err error) {
	files, recipe, err = match.OrderShards(names, func(name string) (Recipe, match.Shard, error) {
		r, err := ReadRecipe(name)
		if err != nil {
			return Recipe{}, match.Shard{}, err
		}
		if r == nil {
			return Recipe{}, match.Shard{}, fmt.Errorf("%s does not tell how it was made", name)
		}
		sh := r.Shard
		r.Shard = match.Shard{} // of all
		return *r, sh, nil
	})
	for i, name := range files {
		if name == "" {
			err = fmt.Errorf("no file of shard %s", match.Shard{Index: i, Count: len(files)})
		}
	}
	return files, recipe, err
}

// interleave writes all games, each from the file of its shard, and returns their number and
// that of their plies. A shard without its next game is an error if another has more.
func interleave(ctx context.Context, w *Writer, files []string) (games, plies int, err error) {
	next := make([]func() (*Game, error, bool), len(files))
	for i, file := range files {
		var stop func()
		next[i], stop = iter.Pull2(Games(file))
		defer stop()
	}
	for ; ; games++ {
		g, err, ok := next[games%len(files)]()
		if err = cmp.Or(err, ctx.Err()); err == nil && ok {
			err = w.Add(g)
		}
		if err != nil {
			return games, plies, err
		}
		if !ok {
			break
		}
		plies += len(g.Plies)
	}
	for i, file := range files {
		if _, _, more := next[i](); more {
			short := games % len(files)
			return games, plies, fmt.Errorf("%s, shard %s, has no game %d, but %s has a later one: run it again with --resume",
				files[short], match.Shard{Index: short, Count: len(files)}, games, file)
		}
	}
	return games, plies, nil
}
