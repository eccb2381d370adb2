package soak

import (
	"context"
	"sync/atomic"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// panickingEngine is the real engine, some of whose searches panic.
type panickingEngine struct {
	game.Engine
	due atomic.Int64 // searches that will
}

// panicDepth is where in a search the panic comes: there is a best move by then.
// Every other panic comes before the search begins.
const panicDepth = 3

func (e *panickingEngine) Search(ctx context.Context, g *rules.Game, l game.SearchLimits, report func(engine.Info)) (game.SearchResult, error) {
	due := e.due.Load()
	if l.Plain || due <= 0 || !e.due.CompareAndSwap(due, due-1) {
		return e.Engine.Search(ctx, g, l, report)
	}
	if due%2 == 0 {
		panic("soak: before a search")
	}
	return e.Engine.Search(ctx, g, l, func(i engine.Info) {
		if i.Depth >= panicDepth {
			panic("soak: in a search")
		}
		if report != nil {
			report(i)
		}
	})
}
