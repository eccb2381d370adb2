package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/zhbot/zhbot/engine/selfplay"
)

// Contents are what games files contain.
type Contents struct {
	Files        []FileStats
	Games, Plies int
	Duplicates   int // games with the same moves as an earlier one
}

// FileStats describes a games file.
type FileStats struct {
	Path         string
	Games, Plies int
	Scale        float64          // score in centipawns that wins 73 % of the games; 0 if unknown
	Factor       float64          // by which its scores are multiplied
	Truncated    bool             // its last block is incomplete and was skipped
	Recipe       *selfplay.Recipe // nil if its block is truncated
}

// visitor handles a game of a file, which may be the same as an earlier one.
type visitor func(file int, g *selfplay.Game, again bool) error

// scan calls visit with each game of the files, until the context ends. A truncated last
// block is skipped.
func scan(ctx context.Context, paths []string, visit visitor) (c Contents, err error) {
	seen := map[uint64]bool{}
	for i, path := range paths {
		file, err := scanFile(ctx, path, func(g *selfplay.Game) error {
			hash := g.Hash()
			again := seen[hash]
			seen[hash] = true
			if again {
				c.Duplicates++
			}
			return visit(i, g, again)
		})
		if err != nil {
			return c, err
		}
		c.Files = append(c.Files, file)
		c.Games += file.Games
		c.Plies += file.Plies
	}
	return c, nil
}

func scanFile(ctx context.Context, path string, visit func(g *selfplay.Game) error) (FileStats, error) {
	file, fit := FileStats{Path: path, Factor: 1}, scaleFit{}
	var err error
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
			return file, fmt.Errorf("%s: game %d: %w", path, file.Games, err)
		}
	}
	file.Scale = fit.scale()
	return file, nil
}

// LoadSamples reads games files and splits them by whole games into training and
// validation samples for the objective. A game is for validation by the hash of its moves,
// and used once, however often it was played. The caller must close both sets.
func LoadSamples(ctx context.Context, paths []string, o Objective, st Storage) (
	train, validation *Samples, c Contents, err error) {
	if c, err = scan(ctx, paths, func(int, *selfplay.Game, bool) error { return nil }); err != nil {
		return nil, nil, c, fmt.Errorf("load samples: %w", err)
	}
	if !st.test {
		c.equalizeScores()
	}
	train, err = newSamples(c.Plies, o, st)
	validation, err2 := newSamples(c.Plies, o, st)
	if err = errors.Join(err, err2); err == nil {
		_, err = scan(ctx, paths, func(file int, g *selfplay.Game, again bool) error {
			into := train
			switch {
			case again:
				return nil
			case st.test || g.Hash()%uint64(cmp.Or(st.holdout, 50)) == 0:
				into = validation
			}
			return into.addGame(g, o.targets(g, c.Files[file].Factor))
		})
	}
	if err = errors.Join(err, train.flush(), validation.flush()); err != nil {
		err = errors.Join(err, train.Close(), validation.Close())
		return nil, nil, c, fmt.Errorf("load samples: %w", err)
	}
	return train, validation, c, nil
}

// commonScale is the scale of all scores that are learned, so that they keep their meaning
// for the margins of the search. It is that of zh-bdb1ca08c2d6, once embedded.
const commonScale = 287

// equalizeScores sets the factors that convert the scores of all files to commonScale.
func (c *Contents) equalizeScores() {
	for i, f := range c.Files {
		if f.Scale > 0 {
			c.Files[i].Factor = commonScale / f.Scale
		}
	}
}
