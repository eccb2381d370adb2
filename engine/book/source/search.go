// Package source makes opening books from a search, with [NewScorer], and from games, with
// [CountFile].
package source

import (
	"context"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/rules"
)

// The first pass searches each move with 1/firstPassShare of the nodes. Moves worse
// than the best by more than the replies and firstPassMargin are dropped.
const (
	firstPassShare  = 10
	firstPassMargin = 40
)

// NewScorer returns a scorer for [book.Build] that searches each promising move with the
// given number of nodes; replies is that of [book.BuildOptions]. It has its own engine,
// which is cleared before each position.
func NewScorer(o engine.Options, nodes uint64, replies int) book.Scorer {
	e := engine.New(o)
	return func(ctx context.Context, p *rules.Position) ([]book.ScoredMove, error) {
		e.Clear()
		firstPass, err := scoreMoves(ctx, e, p, p.LegalMoves(), nodes/firstPassShare)
		if err != nil {
			return nil, err
		}
		best := firstPass[0].Score
		for _, m := range firstPass {
			best = max(best, m.Score)
		}
		var candidates []rules.Move
		for _, m := range firstPass {
			if best-m.Score <= replies+firstPassMargin {
				candidates = append(candidates, m.Move)
			}
		}
		return scoreMoves(ctx, e, p, candidates, nodes)
	}
}

// scoreMoves searches moves one after another, with the given nodes each.
func scoreMoves(ctx context.Context, e *engine.Engine, p *rules.Position, moves []rules.Move, nodes uint64) ([]book.ScoredMove, error) {
	scored := make([]book.ScoredMove, len(moves))
	g := rules.NewGame(*p)
	for i, m := range moves {
		r, err := e.Search(ctx, g, engine.Limits{Nodes: nodes, SearchMoves: []rules.Move{m}}, nil)
		if err == nil {
			err = ctx.Err() // the score of an interrupted search is meaningless
		}
		if err != nil {
			return nil, err
		}
		scored[i] = book.ScoredMove{Move: m, Score: int(r.Info.Score)}
	}
	return scored, nil
}
