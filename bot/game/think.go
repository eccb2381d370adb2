package game

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/rules"
)

// searchOutcome is the result of a search, or its error.
type searchOutcome struct {
	SearchResult
	err error
}

// think searches for a move, until the last moment at which a move still arrives in
// time. If the engine does not stop when it must, the best move reported so far is
// played, or else any legal move.
func (g *game) think(ctx context.Context, board *rules.Game, limits SearchLimits, flag time.Time) *decision {
	ctx, overrun, stop := g.deadline(ctx, flag)
	defer stop()
	g.entry.searches.Add(1)
	defer g.entry.searches.Add(-1)
	var best atomic.Pointer[engine.Info]
	found := make(chan searchOutcome, 1)
	g.spawnVital(func() {
		g.awaitContender(ctx)
		r, err := g.search(ctx, board, limits, &best)
		found <- searchOutcome{r, err}
	})
	var s searchOutcome
	select {
	case s = <-found:
	case <-overrun:
		if i := best.Load(); i != nil && len(i.PV) > 0 {
			s = searchOutcome{SearchResult: bestOf(i)}
		}
		g.log.Error().Str("fen", board.Position().FEN()).Stringer("best", s.Move).Msg("engine did not answer in time")
	}
	g.entry.showSearch(board, s.Info)
	g.opts.Emit(event.Searched{Game: g.id, Board: board, Move: s.Move, Info: s.Info, Fallback: s.Fallback})
	return g.legal(board.Position(), s)
}

// deadline returns a context that ends at the last moment at which a move still
// arrives in time, and a channel that fires when an engine that overruns it is no
// longer waited for; nil without a clock.
func (g *game) deadline(ctx context.Context, flag time.Time) (context.Context, <-chan time.Time, context.CancelFunc) {
	if flag.IsZero() {
		ctx, cancel := context.WithCancel(ctx)
		return ctx, nil, cancel
	}
	_, p99 := g.manager.overhead.estimate()
	left := time.Until(flag)
	end := max(left-p99, left/4)
	ctx, cancel := context.WithTimeout(ctx, end)
	return ctx, time.After(end + (left-end)/2), cancel
}

// legal returns the decision for a search's move, or for any legal move if that one
// is illegal or the search failed.
func (g *game) legal(p *rules.Position, s searchOutcome) *decision {
	if s.err == nil && p.IsLegal(s.Move) {
		return &decision{move: s.Move, reply: s.Ponder, info: s.Info, fallback: s.Fallback}
	}
	fallback := alternativeMove(p, rules.NoMove, 0)
	g.log.Error().Err(s.err).Stringer("move", s.Move).Stringer("instead", fallback).Str("fen", p.FEN()).
		Msg("engine found no legal move")
	return &decision{move: fallback}
}

// alternativeMove returns the n-th legal move other than a refused one, or the
// refused one if it is the only move.
func alternativeMove(p *rules.Position, refused rules.Move, n int) rules.Move {
	others := slices.DeleteFunc(p.LegalMoves(), func(m rules.Move) bool { return m == refused })
	if len(others) == 0 {
		return refused
	}
	return others[n%len(others)]
}

// thinkWithoutClock bounds a search in a game without a clock.
const thinkWithoutClock = 5 * time.Second

// limits returns the limits of a search, and until when the move must be made; zero without
// such a time.
func (g *game) limits() (SearchLimits, time.Time) {
	p := g.board.game.Position()
	allowed, fresh := g.opts.Opponents.Avoid(opponent.ID(g.opponent()), g.board.game)
	l, settings := g.baseLimits(), g.opts.Settings().Engine
	l.MoveTime, l.Nodes, l.SearchMoves, l.Fresh = settings.MaxTime, uint64(settings.MaxNodes), allowed, fresh
	l.Plain = g.manager.panics.has(p.Key())
	if g.full.Clock.IsZero() {
		l.MoveTime = cmp.Or(l.MoveTime, thinkWithoutClock)
		if len(p.LegalMoves()) == 1 { // with a clock, the engine plays it at once anyway
			l.MoveTime = time.Millisecond
		}
		return l, time.Time{}
	}
	l.White, l.Black = g.clocks[rules.White], g.clocks[rules.Black]
	l.WhiteInc, l.BlackInc = g.full.Clock.Increment, g.full.Clock.Increment
	own := l.Clock(g.us)
	flag := g.ownFlag()
	if g.clocksRun() {
		*own = time.Until(flag)
	} else if limit := g.firstMoveTime(); limit > 0 {
		l.MoveTime = min(cmp.Or(l.MoveTime, limit), limit)
	}
	l.Overhead = g.manager.overhead.forClock(*own)
	return l, flag
}

// clocksRun reports whether both first moves have been made, after which clocks run.
func (g *game) clocksRun() bool { return g.board.game.Ply() >= 2 }

// ownFlag returns when our clock runs out, or the time for a first move in an arena; zero for
// neither.
func (g *game) ownFlag() (flag time.Time) {
	if g.clocksRun() {
		flag = g.soonestFlag()
	} else if e := g.state.Expiration; e != nil && e.ToMove > 0 {
		flag = g.receivedAt.Add((e.ToMove - e.Idle).Duration())
	}
	if !flag.IsZero() && time.Until(flag) <= 0 {
		flag = time.Now().Add(lostClock)
	}
	return flag
}

// baseLimits returns what all searches of the game have in common. The level's choices differ
// from search to search, so that nobody can win the same game again.
func (g *game) baseLimits() SearchLimits {
	return SearchLimits{
		Limits: engine.Limits{Strength: human.AtLevel(g.level, rand.Uint64())}, Game: g.id, Contender: g.contender.Name,
	}
}

// lostClock is assumed to be left on our clock if it should have run out, but the game goes on.
const lostClock = time.Second

// maxFirstMoveTime bounds the search for a first move that the server limits.
const maxFirstMoveTime = 5 * time.Second

// firstMoveTime returns how long a search for our first move may take, 0 for no limit of
// its own: in an arena the game is lost by a first move that takes some 20 s, whatever
// the clock says.
func (g *game) firstMoveTime() time.Duration {
	e := g.state.Expiration
	switch {
	case e != nil && e.ToMove > 0:
		left := (e.ToMove - e.Idle).Duration() - time.Since(g.receivedAt)
		return min(max(left/3, time.Millisecond), maxFirstMoveTime)
	case g.full.TournamentID != "":
		return maxFirstMoveTime
	}
	return 0
}

// search calls the engine, and stores its progress in best. A panic costs only this
// search: it is logged and counted, the position is remembered, and the best move so
// far is the result. If there is none, the position is searched again by simpler
// means.
func (g *game) search(ctx context.Context, board *rules.Game, l SearchLimits,
	best *atomic.Pointer[engine.Info]) (r SearchResult, err error) {
	defer g.opts.Liveness.BeginTaskAfter(ctx, "search of game "+g.id)()
	crash := protect(func() {
		r, err = g.opts.Engine.Search(ctx, board, l, func(i engine.Info) {
			best.Store(&i)
			if !l.Ponder {
				g.entry.showSearch(board, i)
			}
		})
	})
	var p *engine.PanicError
	if !errors.As(cmp.Or(crash, err), &p) {
		return r, err
	}
	position := board.Position()
	g.manager.panics.add(position.Key())
	p.FEN = position.FEN()
	g.panicked(event.InSearch, p)
	if i := best.Load(); i != nil && len(i.PV) > 0 && r.Info.Depth == 0 {
		r = bestOf(i)
	}
	switch {
	case l.Ponder:
		return r, nil
	case r.Info.Depth == 0 && !l.Plain:
		l.Plain = true
		return g.search(ctx, board, l, best)
	case position.IsLegal(r.Move):
		return r, nil
	}
	return r, p
}

// bestOf returns the best move by a search's last report.
func bestOf(i *engine.Info) SearchResult {
	return SearchResult{Result: engine.Result{Move: i.PV[0], Info: *i}}
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

// ponder is a search on the opponent's time. Its result is discarded: what it leaves
// in the hash table makes our next search faster, also when the opponent plays
// another reply than the expected one. When the opponent moves, it is cancelled, and
// our move is searched for as usual.
type ponder struct {
	moves  string // the game's when it began
	cancel context.CancelFunc
}

// ponder searches the position after the expected reply to our move or, if none is
// known, the opponent's position. Games without a clock are not pondered.
func (g *game) ponder(ctx context.Context) {
	p := g.board.game.Position()
	switch o := g.opts.Settings().Engine; {
	case !o.Ponder || o.MaxNodes > 0 || g.full.Clock.IsZero():
		return
	case g.board.game.Ply() < 2 || p.Turn() == g.us || !p.HasLegalMove():
		return
	case g.pondering != nil && g.pondering.moves == g.state.Moves:
		return
	}
	g.stopPondering()
	board := g.board.game.Clone()
	if reply := g.expectedReply(); reply != rules.NoMove {
		if err := board.Play(reply); err != nil || !board.Position().HasLegalMove() {
			return // it would end the game
		}
	}
	if g.manager.panics.has(board.Position().Key()) {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	g.pondering = &ponder{moves: g.state.Moves, cancel: cancel}
	l := g.baseLimits()
	l.Ponder = true
	g.spawn(func() {
		defer cancel()
		if _, err := g.search(ctx, board, l, new(atomic.Pointer[engine.Info])); err != nil {
			g.log.Debug().Err(err).Msg("pondering ended")
		}
	})
}

// expectedReply returns the reply that our last search expects, or NoMove: after a
// restart, or when the reply is illegal.
func (g *game) expectedReply() rules.Move {
	t, moves := g.move.turn, g.board.game.Moves()
	if t == nil || len(moves) != t.ply+1 {
		return rules.NoMove
	}
	d := t.chosen
	if d == nil || d.move != moves[t.ply] || !g.board.game.Position().IsLegal(d.reply) {
		return rules.NoMove
	}
	return d.reply
}

// stopPondering cancels the search on the opponent's time, without waiting for it:
// it yields its thread to the search for our move at once.
func (g *game) stopPondering() {
	if g.pondering != nil {
		g.pondering.cancel()
		g.pondering = nil
	}
}
