package selfplay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// player plays games against itself.
type player struct {
	opts   Options
	engine *engine.Engine
}

func newPlayer(o Options) *player {
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
		if score > maxOpening || score < -maxOpening {
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
	if _, mate := s.MateIn(); mate {
		return int(s) // they are the same
	}
	return min(max(int(s), -MateBound+1), MateBound-1)
}

const (
	maxOpening = 400 // centipawns: less balanced openings are discarded

	winScore = 1500 // centipawns: a game is adjudicated with a larger lead …
	winPlies = 2    // … for this many consecutive plies
	longGame = 400  // plies: a longer game is adjudicated as a draw
)

// playOut plays the game to its end.
func (p *player) playOut(ctx context.Context, board *rules.Game, g *Game) (*Game, error) {
	leadPlies, lastLeader := 0, rules.Draw // consecutive plies with one side far ahead
	for {
		switch o := board.Outcome(rules.Threefold); {
		case o.Over():
			g.Result = o.Result()
			return g, nil
		case board.Ply() >= longGame:
			g.Result = rules.Draw
			return g, nil
		}
		m, score, err := p.search(ctx, board)
		if err != nil {
			return nil, err
		}
		g.Plies = append(g.Plies, Ply{m, int16(score)})
		ahead := leader(score)
		if ahead != lastLeader {
			leadPlies = 0
		}
		leadPlies, lastLeader = leadPlies+1, ahead
		if ahead != rules.Draw && leadPlies >= winPlies {
			g.Result = ahead
			return g, nil
		}
		if err := board.Play(m); err != nil {
			return nil, fmt.Errorf("self-play: %w", err)
		}
	}
}

// leader returns the win of the side that is far ahead, Draw for none.
func leader(score int) rules.Result {
	switch {
	case score > winScore:
		return rules.WhiteWins
	case score < -winScore:
		return rules.BlackWins
	}
	return rules.Draw
}
