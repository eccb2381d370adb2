package mover

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// searcher is what searches: our engine, or a program with our engine as its fallback: by
// the end of the time planned for a move, and of the grace of split after that, the program
// has either answered with a legal move or has been given up on.
type searcher struct {
	engine  *engine.Engine
	network *engine.Network
	seed    func() uint64 // seeds the choice of a level below the highest
	program *Pool         // searches instead of the engine; nil for none
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
func (s *searcher) search(ctx context.Context, g *rules.Game, l game.SearchLimits, report func(event.SearchInfo)) (game.SearchResult, error) {
	if s.program == nil {
		return s.searchOwn(ctx, g, l, report)
	}
	if l.Ponder {
		_, err := s.program.Search(ctx, l.Game, g, engine.Limits{Ponder: true}, 0, nil)
		return game.SearchResult{}, err
	}
	moves := g.Position().LegalMoves()
	if l.Plain || len(moves) < 2 {
		r, err := s.searchOwn(ctx, g, l, report)
		if l.Plain {
			r.Fallback = event.FallbackPanicked
		}
		return r, err
	}
	start, us := time.Now(), g.Position().Turn()
	r, err := s.askProgram(ctx, g, l, report)
	if err == nil {
		return r, nil
	}
	reason := fallbackFor(err)
	if errors.Is(ctx.Err(), context.Canceled) {
		reason = "" // nobody wants the move any more
	} else {
		s.log.Debug().Err(err).Str("game", l.Game).Str("reason", string(reason)).Msg("fallback to our own search")
	}
	r, err = s.searchOwn(ctx, g, subtractElapsed(l, us, time.Since(start)), report)
	r.Fallback = reason
	return r, err
}

// searchOwn searches with our engine.
func (s *searcher) searchOwn(ctx context.Context, g *rules.Game, l game.SearchLimits, report func(event.SearchInfo)) (game.SearchResult, error) {
	r, err := s.engine.Search(ctx, g, s.limits(&l), convertReports(report))
	if panicked, ok := errors.AsType[*engine.PanicError](err); ok {
		err = &game.PanicError{Value: panicked.Value, Stack: panicked.Stack}
	}
	return botResult(r), err
}

// limits returns the limits of our own search.
func (s *searcher) limits(l *game.SearchLimits) engine.Limits {
	limits := engineLimits(l)
	if l.LevelsBelow > 0 { // chance differs from search to search, so that nobody can win the same game again
		limits.Strength = human.AtLevel(human.MaxLevel-l.LevelsBelow, s.seed())
	}
	return limits
}

// engineLimits returns the limits at full strength.
func engineLimits(l *game.SearchLimits) engine.Limits {
	return engine.Limits{
		White: l.Clocks[rules.White], Black: l.Clocks[rules.Black],
		WhiteInc: l.Increments[rules.White], BlackInc: l.Increments[rules.Black],
		Overhead: l.Overhead, MoveTime: l.MoveTime, Nodes: l.Nodes, SearchMoves: l.Moves,
		Ponder: l.Ponder, Plain: l.Plain,
	}
}

// convertReports returns what passes an engine's reports on, nil for nil.
func convertReports(report func(event.SearchInfo)) func(engine.Info) {
	if report == nil {
		return nil
	}
	return func(i engine.Info) { report(botInfo(i)) }
}

// botResult returns the result of a search for the bot.
func botResult(r engine.Result) game.SearchResult {
	return game.SearchResult{Move: r.Move, Ponder: r.Ponder, Info: botInfo(r.Info)}
}

func botInfo(i engine.Info) event.SearchInfo {
	score := pgn.Score{Centipawns: int(i.Score)}
	if moves, mate := i.Score.MateIn(); mate {
		score = pgn.Score{Mate: moves}
	}
	return event.SearchInfo{Depth: i.Depth, Score: score, Nodes: i.Nodes, NPS: i.NPS, Time: i.Time, PV: i.PV}
}
