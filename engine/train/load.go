package train

import (
	"errors"
	"fmt"
)

// DataStats counts the games read and the samples kept.
type DataStats struct {
	Files             []FileStats
	Games, Plies      int
	Train, Validation int // samples
}

// FileStats describes a loaded games file.
type FileStats struct {
	Path         string
	Games, Plies int
	Scale        float64 // score in centipawns that wins 73 % of the games; 0 if unknown
	Factor       float64 // by which its scores were multiplied
	Truncated    bool    // its last block is incomplete and was skipped
}

// LoadSamples reads games files and splits them by whole games into training and
// validation samples for the objective. Every holdout-th game, by the hash of its moves,
// is for validation, so that duplicates are in the same set. The caller must close both
// sets.
func LoadSamples(paths []string, filter Filter, o Objective, holdout int, st Storage) (train, validation *Samples, stats DataStats, err error) {
	return load(paths, filter, o, holdout, st, shardSamples)
}

func load(paths []string, filter Filter, o Objective, holdout int, st Storage, perShard int) (train, validation *Samples, stats DataStats, err error) {
	if stats, err = scanFiles(paths); err != nil {
		return nil, nil, stats, err
	}
	if o.Equalize {
		stats.equalizeScores()
	}
	shards := shardsFor(stats.Plies, perShard)
	train, validation = newSamples(shards, st), newSamples(shards, st)
	train.objective, validation.objective = o, o
	defer func() {
		if err != nil {
			err = errors.Join(err, train.Close(), validation.Close())
		}
	}()
	for _, file := range stats.Files {
		games := 0
		for g, err := range Games(file.Path) {
			if errors.Is(err, ErrTruncated) {
				break
			}
			if err != nil {
				return nil, nil, stats, err
			}
			games++
			into := train
			if holdout > 0 && g.hash()%uint64(holdout) == 0 {
				into = validation
			}
			if err := into.addGame(g, filter, o.targets(g, file.Factor)); err != nil {
				return nil, nil, stats, fmt.Errorf("load samples from %s: game %d: %w", file.Path, games, err)
			}
		}
	}
	if err := errors.Join(train.finish(), validation.finish()); err != nil {
		return nil, nil, stats, err
	}
	stats.Train, stats.Validation = train.Len(), validation.Len()
	return train, validation, stats, nil
}

// scanFiles counts the games of files and fits their scales.
func scanFiles(paths []string) (stats DataStats, err error) {
	for _, path := range paths {
		file, fit := FileStats{Path: path, Factor: 1}, scaleFit{}
		for g, err := range Games(path) {
			if file.Truncated = errors.Is(err, ErrTruncated); file.Truncated {
				break
			}
			if err != nil {
				return stats, err
			}
			file.Games++
			file.Plies += len(g.Plies)
			fit.add(g)
		}
		if scale, ok := fit.scale(); ok {
			file.Scale = scale
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
