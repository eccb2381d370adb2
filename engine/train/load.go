package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/zhbot/zhbot/engine/selfplay"
)

// DataStats counts the games read and the samples kept.
type DataStats struct {
	Files             []FileStats
	Games, Plies      int
	Duplicates        int // games with the same moves as an earlier one, which are left out
	Train, Validation int // samples
}

// FileStats describes a games file.
type FileStats struct {
	Path         string
	Games, Plies int
	Scale        float64 // score in centipawns that wins 73 % of the games; 0 if unknown
	Factor       float64 // by which its scores are multiplied
	Truncated    bool    // its last block is incomplete and was skipped
	Bytes        int64
	Recipe       *selfplay.Recipe // nil if its block is truncated
}

// scanFile calls visit with each game of a file, until the context ends. A truncated last
// block is skipped.
func scanFile(ctx context.Context, path string, visit func(g *selfplay.Game) error) (FileStats, error) {
	file, fit := FileStats{Path: path, Factor: 1}, scaleFit{}
	info, err := os.Stat(path)
	if err != nil {
		return file, err
	}
	file.Bytes = info.Size()
	if file.Recipe, err = selfplay.ReadRecipe(path); err != nil && !errors.Is(err, selfplay.ErrTruncated) {
		return file, err
	}
	for g, err := range selfplay.Games(path) {
		if file.Truncated = errors.Is(err, selfplay.ErrTruncated); file.Truncated {
			break
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return file, err
		}
		file.Games++
		file.Plies += len(g.Plies)
		fit.add(g)
		if err := visit(g); err != nil {
			return file, fmt.Errorf("game %d: %w", file.Games, err)
		}
	}
	file.Scale = fit.scale()
	return file, nil
}

// LoadSamples reads games files and splits them by whole games into training and
// validation samples for the objective. Every holdout-th game, by the hash of its moves,
// is for validation. A game is used once, however often it was played. The caller must
// close both sets.
func LoadSamples(ctx context.Context, paths []string, filter Filter, o Objective, holdout int, st Storage) (train, validation *Samples, stats DataStats, err error) {
	if stats, err = scanFiles(ctx, paths); err != nil {
		return nil, nil, stats, err
	}
	if o.Equalize {
		stats.equalizeScores()
	}
	train, validation = newSamples(stats.Plies, o, st), newSamples(stats.Plies, o, st)
	defer func() {
		if err != nil {
			err = errors.Join(err, train.Close(), validation.Close())
			train, validation = nil, nil
		}
	}()
	seen := map[uint64]bool{}
	for _, file := range stats.Files {
		_, err := scanFile(ctx, file.Path, func(g *selfplay.Game) error {
			hash, into := g.Hash(), train
			if seen[hash] {
				stats.Duplicates++
				return nil
			}
			seen[hash] = true
			if holdout > 0 && hash%uint64(holdout) == 0 {
				into = validation
			}
			return into.addGame(g, filter, o.targets(g, file.Factor))
		})
		if err != nil {
			return train, validation, stats, fmt.Errorf("load samples from %s: %w", file.Path, err)
		}
	}
	if err := errors.Join(train.finish(), validation.finish()); err != nil {
		return train, validation, stats, err
	}
	stats.Train, stats.Validation = train.Len(), validation.Len()
	return train, validation, stats, nil
}

// scanFiles counts the games of files and fits their scales.
func scanFiles(ctx context.Context, paths []string) (stats DataStats, err error) {
	for _, path := range paths {
		file, err := scanFile(ctx, path, func(*selfplay.Game) error { return nil })
		if err != nil {
			return stats, err
		}
		stats.Files = append(stats.Files, file)
		stats.Games += file.Games
		stats.Plies += file.Plies
	}
	return stats, nil
}

// equalizeScores sets the factors that convert the scores of all files to the scale of the
// last file with a known one.
func (s *DataStats) equalizeScores() {
	reference := 0.0
	for _, f := range s.Files {
		if f.Scale > 0 {
			reference = f.Scale
		}
	}
	for i, f := range s.Files {
		if f.Scale > 0 {
			s.Files[i].Factor = reference / f.Scale
		}
	}
}
