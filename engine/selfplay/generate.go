package selfplay

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
)

// Options configure the generation of self-play games.
type Options struct {
	Recipe
	Plies     int             // searched plies to generate
	Games     int             // of the whole run, of which the recipe's shard is generated; 0 for no limit
	Workers   int             // games at a time, with one search thread each
	Skip      int             // games of the recipe to skip
	Evaluator *engine.Network // the network of the recipe
	Lines     book.Book       // of the recipe
}

// DefaultOptions returns the options of the current training data.
func DefaultOptions() Options {
	return Options{
		Recipe: Recipe{Nodes: 1000, HashMB: 8, Seed: 1}, Plies: 1_000_000, Workers: 2,
	}
}

// Progress is the progress of a run.
type Progress struct {
	Games, Plies int
	PerSecond    float64 // searched plies
}

// Generate plays games and adds them to the writer until it has added enough plies or all
// games, or the context is done, which is not an error: games in progress are then
// abandoned. Games are added in the order of their numbers. A game is determined by its
// number and the recipe, so the file depends only on the options other than Workers.
// Generate calls report, if not nil, after each game.
func Generate(ctx context.Context, o Options, w *Writer, report func(Progress)) (Progress, error) {
	c := &collector{writer: w, report: report, plies: o.Plies, start: time.Now(), next: o.Skip,
		waiting: map[int]*Game{}}
	var started atomic.Int64 // games of the recipe, with the skipped ones
	started.Store(int64(o.Skip))
	workers, ctx := errgroup.WithContext(ctx)
	for range o.Workers {
		workers.Go(func() error {
			for p := newPlayer(o); ; {
				i := int(started.Add(1)) - 1
				if o.Games > 0 && i >= o.Shard.Size(o.Games) {
					return nil
				}
				game, err := p.play(ctx, uint64(o.Shard.Number(i))+1)
				if err == nil {
					err = c.add(i, game)
				}
				if err != nil {
					return err
				}
			}
		})
	}
	err := workers.Wait()
	if errors.Is(err, errEnough) || errors.Is(err, context.Canceled) {
		err = nil
	}
	return c.progress, errors.Join(err, w.Flush())
}

// errEnough stops the workers.
var errEnough = errors.New("enough plies")

// collector writes the games of a run in order. The workers share it.
type collector struct {
	report func(Progress) // may be nil
	plies  int            // to write
	start  time.Time

	mu       sync.Mutex // guards what follows
	writer   *Writer
	progress Progress
	next     int           // the next game to write
	waiting  map[int]*Game // for an earlier game to finish
	err      error         // after which nothing is written
}

// add writes a game, and those that waited for it, or lets it wait. It returns errEnough
// once there are enough plies.
func (c *collector) add(i int, game *Game) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting[i] = game
	for game := c.waiting[c.next]; game != nil && c.err == nil; game = c.waiting[c.next] {
		delete(c.waiting, c.next)
		c.next++
		if c.err = c.writer.Add(game); c.err != nil {
			break
		}
		c.progress.Games++
		c.progress.Plies += len(game.Plies)
		c.progress.PerSecond = float64(c.progress.Plies) / time.Since(c.start).Seconds()
		if c.report != nil {
			c.report(c.progress)
		}
		if c.progress.Plies >= c.plies {
			c.err = errEnough
		}
	}
	return c.err
}
