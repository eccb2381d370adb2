package bot

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/search"
	"github.com/zhbot/zhbot/rules"
)

// search calls the engine. A panic costs only this search: it is logged and counted,
// the position is remembered, and the best move so far is the result. If there is
// none, the position is searched again by simpler means.
func (g *game) search(ctx context.Context, board *rules.Game, l search.Limits, report func(search.Info)) (search.Result, error) {
	defer g.bot.liveness.beginTaskAfter(ctx, "search of game "+g.id)()
	var best atomic.Pointer[search.Info]
	var r search.Result
	var failure error
	if err := protect(func() {
		r, failure = g.bot.opts.Engine.Search(ctx, board, l, func(i search.Info) {
			best.Store(&i)
			if report != nil {
				report(i)
			}
		})
	}); err != nil {
		failure = err
	}
	var p *search.PanicError
	if !errors.As(failure, &p) {
		return r, failure
	}
	position := board.Position()
	g.bot.panicked.add(position.Key())
	g.panicked(event.InSearch, position.FEN(), p)
	if i := best.Load(); i != nil && len(i.PV) > 0 && r.Info.Depth == 0 {
		r = search.Result{Move: i.PV[0], Info: *i}
	}
	switch {
	case l.Ponder:
		return r, nil
	case r.Info.Depth == 0 && !l.Plain:
		l.Plain = true
		return g.search(ctx, board, l, report)
	case position.IsLegal(r.Move):
		return r, nil
	}
	return r, p
}

// maxPanickedPositions bounds the remembered positions.
const maxPanickedPositions = 1000

// panickedPositions are the positions whose search panicked: they are searched by
// simpler means, and never pondered. It is safe for concurrent use.
type panickedPositions struct {
	mu   sync.Mutex
	keys map[uint64]bool
}

func (s *panickedPositions) add(key uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keys == nil || len(s.keys) >= maxPanickedPositions {
		s.keys = map[uint64]bool{}
	}
	s.keys[key] = true
}

func (s *panickedPositions) has(key uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys[key]
}
