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
	if err == nil {
		games, err = countShards(ctx, files)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("merge: %w", err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		return 0, 0, fmt.Errorf("merge: %s exists already; name a new file", path)
	}
	w, _, _, err := OpenWriter(path, recipe)
	if err != nil {
		return 0, 0, err
	}
	plies, err = interleave(ctx, w, files, games)
	if err := errors.Join(err, w.Close()); err != nil {
		return 0, 0, fmt.Errorf("merge: %w", errors.Join(err, os.Remove(path)))
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

// countShards returns the number of games in the files of all shards, or an error that
// names one whose next game is missing.
func countShards(ctx context.Context, files []string) (total int, err error) {
	counts := make([]int, len(files))
	for i, file := range files {
		if counts[i], err = countGames(ctx, file); err != nil {
			return 0, err
		}
		if counts[i] > 0 {
			last := match.Shard{Index: i, Count: len(files)}.Number(counts[i] - 1)
			total = max(total, last+1)
		}
	}
	for i, file := range files {
		sh := match.Shard{Index: i, Count: len(files)}
		if want := sh.Size(total); counts[i] < want {
			return 0, fmt.Errorf("%s, shard %s, has %d of %d games: run it again with --resume",
				file, sh, counts[i], want)
		}
	}
	return total, nil
}

// countGames returns the number of games in a file, which must be complete.
func countGames(ctx context.Context, path string) (games int, err error) {
	for b, err := range blocks(path) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return 0, err
		}
		games += b.games
	}
	return games, ctx.Err()
}

// interleave writes a number of games, each from the file of its shard, and returns the
// number of their plies.
func interleave(ctx context.Context, w *Writer, files []string, games int) (plies int, err error) {
	next := make([]func() (*Game, error, bool), len(files))
	for i, file := range files {
		var stop func()
		next[i], stop = iter.Pull2(Games(file))
		defer stop()
	}
	for number := range games {
		if ctx.Err() != nil {
			return plies, ctx.Err()
		}
		g, err, ok := next[number%len(files)]()
		if err == nil && !ok {
			err = errors.New("a file has changed in the meantime")
		}
		if err == nil {
			err = w.Add(g)
		}
		if err != nil {
			return plies, err
		}
		plies += len(g.Plies)
	}
	return plies, nil
}
