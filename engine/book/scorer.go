package book

import (
	"context"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// MinNodes is the smallest budget of a position, in nodes.
const MinNodes = 1000

// The first pass divides 1/firstPassShare of the nodes among all legal moves. Moves worse
// than the best by more than the replies and firstPassMargin are dropped; the others
// divide the rest.
const (
	firstPassShare  = 4
	firstPassMargin = 40
)

// Search configures how positions are searched.
type Search struct {
	Network *engine.Network
	HashMB  int    // size of the transposition table in MiB
	Nodes   uint64 // for each position in all, at least [MinNodes]
	Replies int    // that of [BuildOptions]
}

// NewScorer returns a scorer for [Build]. It has its own engine, with one thread,
// which is cleared before each position.
func NewScorer(s Search) Scorer {
	e := engine.New(engine.Options{Threads: 1, HashMB: s.HashMB, Network: s.Network})
	return func(ctx context.Context, p *rules.Position) ([]ScoredMove, error) {
		e.Clear()
		firstPass, spent, err := scoreMoves(ctx, e, p, p.LegalMoves(), s.Nodes/firstPassShare)
		if err != nil {
			return nil, err
		}
		best := firstPass[0].Score
		for _, m := range firstPass {
			best = max(best, m.Score)
		}
		var candidates []rules.Move
		for _, m := range firstPass {
			if best-m.Score <= s.Replies+firstPassMargin {
				candidates = append(candidates, m.Move)
			}
		}
		scored, _, err := scoreMoves(ctx, e, p, candidates, s.Nodes-min(spent, s.Nodes))
		return scored, err
	}
}

// scoreMoves searches moves one after another. Each has an equal share of the nodes that
// the ones before it left. It returns the nodes spent.
func scoreMoves(ctx context.Context, e *engine.Engine, p *rules.Position, moves []rules.Move, nodes uint64) (
	scored []ScoredMove, spent uint64, err error) {
	scored = make([]ScoredMove, len(moves))
	g := rules.NewGame(*p)
	for i, m := range moves {
		share := max(1, (nodes-min(spent, nodes))/uint64(len(moves)-i))
		r, err := e.Search(ctx, g, engine.Limits{Nodes: share, SearchMoves: []rules.Move{m}}, nil)
		if err == nil && r.Info.Depth == 0 { // too few nodes for any depth
			spent += r.Info.Nodes
			r, err = e.Search(ctx, g, engine.Limits{Depth: 1, SearchMoves: []rules.Move{m}}, nil)
		}
		if err == nil {
			err = ctx.Err() // the score of an interrupted search is meaningless
		}
		if err != nil {
			return nil, spent, err
		}
		scored[i] = ScoredMove{Move: m, Score: int(r.Info.Score)}
		spent += r.Info.Nodes
	}
	return scored, spent, nil
}
