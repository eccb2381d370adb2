package train

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// GenerateOptions says how to play self-play games.
type GenerateOptions struct {
	Plies   int    // searched plies to add
	Workers int    // games at once, one search thread each
	Nodes   uint64 // nodes a move
	HashMB  int    // transposition table of each worker
	Seed    uint64
	Stream  uint64 // tells runs with one seed apart: the games a file already holds

	OpeningPlies int // random plies before the first search, at least; up to 2 more
	MaxOpening   int // centipawns: openings further from balance are thrown away
	WinScore     int // centipawns: adjudicated when one side is further ahead …
	WinPlies     int // … for so many plies in a row
	MaxPlies     int // adjudicated a draw after so many plies

	Network *engine.Network // nil for the hand-written evaluation
}

// DefaultGenerateOptions returns the recipe of engine's first data.
func DefaultGenerateOptions() GenerateOptions {
	return GenerateOptions{
		Plies: 1_000_000, Workers: 2, Nodes: 1000, HashMB: 8, Seed: 1,
		OpeningPlies: 8, MaxOpening: 400, WinScore: 2500, WinPlies: 4, MaxPlies: 400,
	}
}

// GenerateProgress is what a run has reached.
type GenerateProgress struct {
	Games, Plies int
	PerSecond    float64 // searched plies
}

// Generate plays games and adds them to the writer until enough plies are
// played or the context is done, which is no error: games that are under way
// are then given up. Report, if not nil, is called after each game.
func Generate(ctx context.Context, o GenerateOptions, w *Writer, report func(GenerateProgress)) (GenerateProgress, error) {
	var next atomic.Uint64
	done := make(chan *Game)
	var progress GenerateProgress
	start := time.Now()

	playing, stop := context.WithCancel(ctx)
	defer stop()
	g, playing := errgroup.WithContext(playing)
	for range o.Workers {
		g.Go(func() error {
			p := newPlayer(o)
			for playing.Err() == nil {
				game, err := p.play(playing, next.Add(1))
				if err != nil {
					return err
				}
				select {
				case done <- game:
				case <-playing.Done():
				}
			}
			return nil
		})
	}
	finished := make(chan error, 1)
	go func() { finished <- g.Wait(); close(done) }()

	var failed error
	for game := range done {
		if playing.Err() != nil {
			continue
		}
		if failed = w.Add(game); failed != nil {
			stop()
			continue
		}
		progress.Games++
		progress.Plies += len(game.Plies)
		progress.PerSecond = float64(progress.Plies) / time.Since(start).Seconds()
		if report != nil {
			report(progress)
		}
		if progress.Plies >= o.Plies {
			stop()
		}
	}
	if err := <-finished; !errors.Is(err, context.Canceled) {
		failed = errors.Join(failed, err)
	}
	return progress, errors.Join(failed, w.Flush())
}

// player plays games against itself.
type player struct {
	opts   GenerateOptions
	engine *engine.Engine
}

func newPlayer(o GenerateOptions) *player {
	return &player{o, engine.New(engine.Options{Threads: 1, HashMB: o.HashMB, Network: o.Network})}
}

// play plays game number n of the stream.
func (p *player) play(ctx context.Context, n uint64) (*Game, error) {
	rng := rand.New(rand.NewPCG(p.opts.Seed, p.opts.Stream<<32+n))
	for {
		p.engine.Clear()
		board, opening := p.opening(rng)
		if board.Position().CountMoves() == 0 {
			continue
		}
		_, score, err := p.search(ctx, board)
		if err != nil {
			return nil, err
		}
		if score > p.opts.MaxOpening || score < -p.opts.MaxOpening {
			continue
		}
		return p.finish(ctx, board, &Game{Opening: opening})
	}
}

// opening plays random moves, drops included.
func (p *player) opening(rng *rand.Rand) (*rules.Game, []rules.Move) {
	g := rules.NewGame(rules.StartPosition())
	for range p.opts.OpeningPlies + rng.IntN(3) {
		var l rules.MoveList
		g.Position().Generate(&l, rules.All)
		if l.Len() == 0 {
			break
		}
		if err := g.Play(l.At(rng.IntN(l.Len()))); err != nil {
			panic(err) // a generated move is legal
		}
	}
	return g, append([]rules.Move(nil), g.Moves()...)
}

// search returns the best move and its score in White's view. Both are of the
// last depth that was searched in full.
func (p *player) search(ctx context.Context, g *rules.Game) (rules.Move, int, error) {
	var whole engine.Info
	r, err := p.engine.Search(ctx, g, engine.Limits{Nodes: p.opts.Nodes}, func(i engine.Info) { whole = i })
	if err == nil {
		err = ctx.Err() // a cancelled search is no data
	}
	if err != nil {
		return rules.NoMove, 0, fmt.Errorf("self-play search at ply %d: %w", g.Ply(), err)
	}
	if len(whole.PV) == 0 { // not even the first depth was finished
		whole = r.Info
		whole.PV = []rules.Move{r.Move}
	}
	score := recordScore(whole.Score)
	if g.Position().Turn() == rules.Black {
		score = -score
	}
	return whole.PV[0], score, nil
}

// recordScore turns an engine's score into that of a record.
func recordScore(s engine.Score) int {
	if moves, mate := s.MateIn(); mate {
		if moves > 0 {
			return MateScore - (2*moves - 1)
		}
		return -MateScore - 2*moves
	}
	return min(max(int(s), -MateBound+1), MateBound-1)
}

// finish plays the game to its end.
func (p *player) finish(ctx context.Context, board *rules.Game, g *Game) (*Game, error) {
	ahead, last := 0, Draw // plies in a row that one side was far ahead
	for {
		if ended(board, g) {
			return g, nil
		}
		if board.Ply() >= p.opts.MaxPlies {
			g.Result, g.Ending = Draw, ByLength
			return g, nil
		}
		m, score, err := p.search(ctx, board)
		if err != nil {
			return nil, err
		}
		g.Plies = append(g.Plies, Ply{m, int16(score)})
		leader := p.leader(score)
		if leader != last {
			ahead = 0
		}
		ahead, last = ahead+1, leader
		if leader != Draw && ahead >= p.opts.WinPlies {
			g.Result, g.Ending = leader, ByScore
			return g, nil
		}
		if err := board.Play(m); err != nil {
			return nil, fmt.Errorf("self-play: %w", err)
		}
	}
}

// leader returns which side is far ahead, Draw for none.
func (p *player) leader(score int) Result {
	switch {
	case score > p.opts.WinScore:
		return WhiteWins
	case score < -p.opts.WinScore:
		return BlackWins
	}
	return Draw
}

// ended fills in result and ending if the rules have ended the game.
func ended(board *rules.Game, g *Game) bool {
	o := board.Outcome(rules.Threefold)
	switch o.Termination {
	case rules.Ongoing:
		return false
	case rules.Checkmate:
		g.Ending, g.Result = ByMate, WhiteWins
		if o.Winner == rules.Black {
			g.Result = BlackWins
		}
	case rules.Stalemate:
		g.Ending, g.Result = ByStalemate, Draw
	case rules.TooLong:
		g.Ending, g.Result = ByLength, Draw
	default:
		g.Ending, g.Result = ByRepetition, Draw
	}
	return true
}
