package mover

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// searcher searches: our engine, or a program with our engine as its fallback. By the end
// of the time planned for a move plus the grace of split, the program has answered with a
// legal move or has been given up on.
type searcher struct {
	engine  *engine.Engine
	network *engine.Network
	program *pool // searches instead of the engine; nil for none
	log     zerolog.Logger
}

// Network returns the name of our search's evaluation network for the records.
func (s *searcher) Network() string { return s.network.Name() }

// Program returns the name of the program that searches, "" if our search does. Before the
// program's first start it is that of its file.
func (s *searcher) Program() string {
	if s.program == nil {
		return ""
	}
	return s.program.Name()
}

// search has the program search, if there is one, and falls back to our own search.
func (s *searcher) search(
	ctx context.Context, g *rules.Game, l game.SearchLimits, report func(engine.Info),
) (game.SearchResult, error) {
	own := func(reason event.Fallback) (game.SearchResult, error) {
		r, err := s.engine.Search(ctx, g, l.Limits, report)
		return game.SearchResult{Result: r, Fallback: reason}, err
	}
	switch {
	case s.program == nil:
		return own("")
	case l.Ponder:
		_, err := s.program.Search(ctx, l.Game, g, engine.Limits{Ponder: true}, 0, nil)
		return game.SearchResult{}, err
	case l.Plain:
		return own(event.FallbackPanicked)
	case len(g.Position().LegalMoves()) < 2:
		return own("")
	}
	start, us := time.Now(), g.Position().Turn()
	var r engine.Result
	err := errShortOfTime
	if limits, grace, ok := split(l.Limits, us); ok {
		r, err = s.program.Search(ctx, l.Game, g, limits, grace, report)
	}
	if err == nil {
		return game.SearchResult{Result: r}, nil
	}
	reason := fallbackFor(err)
	if errors.Is(ctx.Err(), context.Canceled) {
		reason = "" // nobody wants the move any more
	} else {
		s.log.Debug().Err(err).Str("game", l.Game).Str("reason", string(reason)).Msg("fallback to our own search")
	}
	l.Limits = subtractElapsed(l.Limits, us, time.Since(start))
	return own(reason)
}
