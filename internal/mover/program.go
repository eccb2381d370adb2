package mover

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/rules"
)

// program is an engine program that searches instead of our engine, which is the
// fallback: by the end of the time planned for a move, and of the grace of split after
// that, the program has either answered with a legal move or has been given up on.
type program struct {
	pool *Pool
	own  *ownSearch
	log  zerolog.Logger
}

// Search has the program search, and falls back to our own search.
func (p *program) Search(ctx context.Context, g *rules.Game, l game.SearchLimits, report func(event.SearchInfo)) (game.SearchResult, error) {
	if l.Ponder {
		return game.SearchResult{}, p.pool.Ponder(ctx, l.Game, g)
	}
	moves := g.Position().LegalMoves()
	if l.Plain || len(moves) < 2 {
		r, err := p.own.Search(ctx, g, l, report)
		if l.Plain {
			r.Fallback = event.FallbackPanicked
		}
		return r, err
	}
	start, us := time.Now(), g.Position().Turn()
	r, err := p.ask(ctx, g, l, report)
	if err == nil {
		return r, nil
	}
	reason := fallbackFor(err)
	if errors.Is(ctx.Err(), context.Canceled) {
		reason = "" // nobody wants the move any more
	} else {
		p.log.Debug().Err(err).Str("game", l.Game).Str("reason", string(reason)).Msg("fallback to our own search")
	}
	r, err = p.own.Search(ctx, g, subtractElapsed(l, us, time.Since(start)), report)
	r.Fallback = reason
	return r, err
}

// errShortOfTime means that the program is not asked.
var errShortOfTime = errors.New("too little time is left to ask the program")

// ask has the program search.
func (p *program) ask(ctx context.Context, g *rules.Game, l game.SearchLimits, report func(event.SearchInfo)) (game.SearchResult, error) {
	limits, grace, ok := split(l, g.Position().Turn())
	if !ok {
		return game.SearchResult{}, errShortOfTime
	}
	r, err := p.pool.Search(ctx, l.Game, g, engineLimits(&limits), grace, convertReports(report))
	if err != nil {
		return game.SearchResult{}, err
	}
	return game.SearchResult{Move: r.Move, Ponder: r.Ponder, Info: botInfo(r.Info)}, nil
}

// The time reserved for our own search if the program fails: a share of the clock, less
// the overhead of the move, and of the maximum time of a search, within bounds.
const (
	fallbackShare = 10
	minFallback   = 20 * time.Millisecond
	maxFallback   = time.Second
	minAsk        = 20 * time.Millisecond  // with less for the program it is not asked
	maxGrace      = 250 * time.Millisecond // for the answer to arrive; half of what is kept, at most
)

// split returns the limits of the program's search, and how long after their end its answer
// may arrive. ok is false if there is too little time.
func split(l game.SearchLimits, us rules.Color) (program game.SearchLimits, grace time.Duration, ok bool) {
	clock := &l.White
	if us == rules.Black {
		clock = &l.Black
	}
	grace, ok = maxGrace, true
	keep := func(limit *time.Duration, lost time.Duration) {
		if *limit <= 0 {
			return // there is no limit
		}
		kept := min(max((*limit-lost)/fallbackShare, minFallback), maxFallback)
		*limit -= kept
		grace = min(grace, kept/2)
		ok = ok && *limit-lost >= minAsk
	}
	keep(clock, l.Overhead)
	keep(&l.MoveTime, 0)
	return l, grace, ok
}

// fallbackFor returns the reason for a fallback after an error.
func fallbackFor(err error) event.Fallback {
	var illegal *external.IllegalMoveError
	switch {
	case errors.Is(err, errShortOfTime):
		return event.FallbackShortOfTime
	case errors.Is(err, ErrStarting):
		return event.FallbackStarting
	case errors.Is(err, ErrNotRunning):
		return event.FallbackNotRunning
	case errors.Is(err, ErrBusy):
		return event.FallbackBusy
	case errors.Is(err, ErrLate), errors.Is(err, external.ErrTimeout):
		return event.FallbackLate
	case errors.As(err, &illegal), errors.Is(err, external.ErrFlood):
		return event.FallbackIllegal
	}
	return event.FallbackCrashed
}

// fallbackHashMB is the most memory that our own search gets as a fallback.
const fallbackHashMB = 64

// PoolOptions returns the options of the program: all threads, and all memory except the small
// table of the fallback.
func (s *Settings) PoolOptions() (PoolOptions, error) {
	o := PoolOptions{
		Command: s.Command, Processes: s.Processes, Threads: s.Threads, HashMB: s.HashMB - min(max(s.HashMB/8, 1), fallbackHashMB),
		Log: s.opts.Log, Start: s.opts.StartProgram,
	}
	for _, text := range s.Options {
		option, err := external.ParseOption(text)
		if err != nil {
			return o, fmt.Errorf("engine.options: %w", err)
		}
		o.Options = append(o.Options, option)
	}
	return o, nil
}
