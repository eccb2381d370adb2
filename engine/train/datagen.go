package train

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/shard"
	"github.com/zhbot/zhbot/rules"
)

// GenerateOptions configure the generation of self-play games.
type GenerateOptions struct {
	Recipe
	Plies     int             // searched plies to generate
	Games     int             // games of all shards, of which to generate the recipe's; 0 for any number
	Workers   int             // games at a time, with one search thread each
	Skip      int             // games of the recipe to skip
	Evaluator *engine.Network // the network of the recipe, nil for the hand-written evaluation
}

// DefaultGenerateOptions returns the options of the current training data.
func DefaultGenerateOptions() GenerateOptions {
	return GenerateOptions{
		Recipe: Recipe{
			Nodes: 1000, HashMB: 8, Seed: 1, SearchedOpenings: 0.5, OpeningPlies: 8,
			MaxOpening: 400, WinScore: 2500, WinPlies: 4, MaxPlies: 400,
		},
		Plies: 1_000_000, Workers: 2,
	}
}

// GenerateProgress is the progress of a run.
type GenerateProgress struct {
	Games, Plies int
	PerSecond    float64 // searched plies
}

// Generate plays games and adds them to the writer until it has added enough plies or all
// games, or the context is done, which is not an error: games in progress are then
// abandoned. Games are added in the order of their numbers, and a number and the recipe
// determine a game, so that the file depends only on the options, except Workers. Generate
// calls report, if not nil, after each game.
func Generate(ctx context.Context, o GenerateOptions, w *Writer, report func(GenerateProgress)) (GenerateProgress, error) {
	c := &collector{writer: w, report: report, plies: o.Plies, start: time.Now(), next: o.Skip, waiting: map[int]*Game{}}
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
	report func(GenerateProgress) // may be nil
	plies  int                    // to write
	start  time.Time

	mu       sync.Mutex // guards what follows
	writer   *Writer
	progress GenerateProgress
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

// player plays games against itself.
type player struct {
	opts   GenerateOptions
	engine *engine.Engine
}

func newPlayer(o GenerateOptions) *player {
	return &player{o, engine.New(engine.Options{Threads: 1, HashMB: o.HashMB, Network: o.Evaluator})}
}

// play plays game n, from 1.
func (p *player) play(ctx context.Context, n uint64) (*Game, error) {
	rng := rand.New(rand.NewPCG(p.opts.Seed, n))
	for {
		p.engine.Clear()
		board, err := p.opening(ctx, n, rng)
		if err != nil {
			return nil, err
		}
		if !board.Position().HasLegalMove() {
			continue
		}
		opening := slices.Clone(board.Moves())
		_, score, err := p.search(ctx, board)
		if err != nil {
			return nil, err
		}
		if score > p.opts.MaxOpening || score < -p.opts.MaxOpening {
			continue
		}
		return p.playOut(ctx, board, &Game{Opening: opening})
	}
}

// search returns the best move and its score in White's view, both of the last completed
// depth.
func (p *player) search(ctx context.Context, g *rules.Game) (rules.Move, int, error) {
	var completed engine.Info
	r, err := p.engine.Search(ctx, g, engine.Limits{Nodes: p.opts.Nodes}, func(i engine.Info) { completed = i })
	if err := searchError(ctx, err, g); err != nil {
		return rules.NoMove, 0, err
	}
	if len(completed.PV) == 0 { // the first depth was not completed
		completed = r.Info
		completed.PV = []rules.Move{r.Move}
	}
	score := scoreForRecord(completed.Score)
	if g.Position().Turn() == rules.Black {
		score = -score
	}
	return completed.PV[0], score, nil
}

// searchError returns the error of a search. The result of a cancelled search is not used
// either.
func searchError(ctx context.Context, err error, g *rules.Game) error {
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("self-play search at ply %d: %w", g.Ply(), err)
	}
	return nil
}

// scoreForRecord converts a score of the engine to one of a record.
func scoreForRecord(s engine.Score) int {
	if moves, mate := s.MateIn(); mate {
		if moves > 0 {
			return MateScore - (2*moves - 1)
		}
		return -MateScore - 2*moves
	}
	return min(max(int(s), -MateBound+1), MateBound-1)
}

// playOut plays the game to its end.
func (p *player) playOut(ctx context.Context, board *rules.Game, g *Game) (*Game, error) {
	leadPlies, lastLeader := 0, rules.Draw // consecutive plies with one side far ahead
	for {
		if setOutcome(board, g) {
			return g, nil
		}
		if board.Ply() >= p.opts.MaxPlies {
			g.Result, g.Ending = rules.Draw, ByLength
			return g, nil
		}
		m, score, err := p.search(ctx, board)
		if err != nil {
			return nil, err
		}
		g.Plies = append(g.Plies, Ply{m, int16(score)})
		leader := p.leader(score)
		if leader != lastLeader {
			leadPlies = 0
		}
		leadPlies, lastLeader = leadPlies+1, leader
		if leader != rules.Draw && leadPlies >= p.opts.WinPlies {
			g.Result, g.Ending = leader, ByScore
			return g, nil
		}
		if err := board.Play(m); err != nil {
			return nil, fmt.Errorf("self-play: %w", err)
		}
	}
}

// leader returns the win of the side that is far ahead, Draw for none.
func (p *player) leader(score int) rules.Result {
	switch {
	case score > p.opts.WinScore:
		return rules.WhiteWins
	case score < -p.opts.WinScore:
		return rules.BlackWins
	}
	return rules.Draw
}

// setOutcome sets result and ending, and returns true, if the rules have ended the game.
func setOutcome(board *rules.Game, g *Game) bool {
	o := board.Outcome(rules.Threefold)
	switch o.Termination {
	case rules.Ongoing:
		return false
	case rules.Checkmate:
		g.Ending = ByMate
	case rules.Stalemate:
		g.Ending = ByStalemate
	case rules.TooLong:
		g.Ending = ByLength
	default:
		g.Ending = ByRepetition
	}
	g.Result = o.Result()
	return true
}

// Merge writes the games of all shards of a run to a new file, in the order of their
// numbers: the file that one process writes. It returns the number of games and searched
// plies. Files of different runs, and missing or incomplete shards, are an error.
func Merge(path string, files []string) (games, plies int, err error) {
	files, recipe, err := orderShards(files)
	if err == nil {
		games, err = countShards(files)
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
	plies, err = interleave(w, files, games)
	if err := errors.Join(err, w.Close()); err != nil {
		return 0, 0, fmt.Errorf("merge: %w", errors.Join(err, os.Remove(path)))
	}
	return games, plies, nil
}

// orderShards returns the files in the order of their shards, and the recipe of them all.
func orderShards(files []string) (ordered []string, recipe Recipe, err error) {
	var set shard.Set
	for _, file := range files {
		r, err := readRecipe(file)
		switch {
		case err != nil:
			return nil, recipe, err
		case r == nil:
			return nil, recipe, fmt.Errorf("%s does not tell how it was made", file)
		}
		first := set.First()
		if err := set.Add(r.Shard, file); err != nil {
			return nil, recipe, err
		}
		r.Shard = shard.Shard{} // of all
		if first == "" {
			recipe = *r
		}
		if diff := r.diff(recipe); len(diff) > 0 {
			return nil, recipe, fmt.Errorf("%s is of another run than %s: %s", file, first, strings.Join(diff, ", "))
		}
	}
	if missing := set.Missing(); len(missing) > 0 {
		return nil, recipe, fmt.Errorf("no file of shard %v", missing)
	}
	for i := range set.Count() {
		ordered = append(ordered, set.File(shard.Shard{Index: i, Count: set.Count()}))
	}
	return ordered, recipe, nil
}

// countShards returns the number of games in the files of all shards, or an error that
// names one whose next game is missing.
func countShards(files []string) (total int, err error) {
	counts := make([]int, len(files))
	for i, file := range files {
		if counts[i], err = countGames(file); err != nil {
			return 0, err
		}
		if counts[i] > 0 {
			last := shard.Shard{Index: i, Count: len(files)}.Number(counts[i] - 1)
			total = max(total, last+1)
		}
	}
	for i, file := range files {
		sh := shard.Shard{Index: i, Count: len(files)}
		if want := sh.Size(total); counts[i] < want {
			return 0, fmt.Errorf("%s, shard %s, has %d of %d games: run it again with --resume", file, sh, counts[i], want)
		}
	}
	return total, nil
}

// countGames returns the number of games in a file, which must be complete.
func countGames(path string) (games int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("read games: %w", err)
	}
	defer f.Close()
	for r := newBlockReader(f); ; {
		b, err := r.next()
		if errors.Is(err, io.EOF) {
			return games, nil
		}
		if err != nil {
			return 0, fmt.Errorf("read games %s at byte %d: %w", path, r.offset, err)
		}
		games += b.games
	}
}

// interleave writes a number of games, each from the file of its shard, and returns the
// number of their plies.
func interleave(w *Writer, files []string, games int) (plies int, err error) {
	next := make([]func() (*Game, error, bool), len(files))
	for i, file := range files {
		var stop func()
		next[i], stop = iter.Pull2(Games(file))
		defer stop()
	}
	for number := range games {
		g, err, ok := next[number%len(files)]()
		if err == nil && !ok {
			err = errors.New("a file has changed meanwhile")
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
