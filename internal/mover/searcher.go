package mover

import (
	"context"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// searcher is what searches: our engine, or a program with our engine as its fallback.
type searcher struct {
	own     *ownSearch
	program *program // searches instead of own; nil for none
	network string   // name of the evaluation network of own
}

// searcher makes what searches by the settings. If that is a program, its first search
// starts it, unless it is started before.
// Our engine shares the threads of another one, unless that is nil.
func (s Settings) searcher(ctx context.Context, share *engine.Engine) (out searcher, err error) {
	bridged, err := s.PoolOptions()
	if err != nil {
		return out, err
	}
	if s.Command != "" {
		s.HashMB -= bridged.HashMB
	}
	if out.own, err = newOwnSearch(&s, share); err != nil {
		return out, err
	}
	out.network = engine.NetworkName(out.own.network)
	if s.Command != "" {
		out.program = &program{pool: NewPool(ctx, bridged), own: out.own, log: s.opts.Log}
	}
	return out, nil
}

// Network returns the name of our search's evaluation network for the records.
func (s searcher) Network() string { return s.network }

// Program returns the name of the program that searches, "" if our search does. Before the
// program's first start it is that of its file.
func (s searcher) Program() string {
	if s.program == nil {
		return ""
	}
	return s.program.pool.Name()
}

func (s searcher) search(ctx context.Context, g *rules.Game, l game.SearchLimits, report func(event.SearchInfo)) (game.SearchResult, error) {
	if s.program != nil {
		return s.program.Search(ctx, g, l, report)
	}
	return s.own.Search(ctx, g, l, report)
}
