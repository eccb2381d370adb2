package mover

import (
	"context"
	"errors"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// Shares of the time planned for a move.
const (
	busyShare    = 4 // one part to wait for a process that still ponders, or prepares for the game
	silenceShare = 8 // one part for an idle process to answer, but
	minSilence   = 200 * time.Millisecond
)

// errPanicked is why a process whose search ended in a panic is replaced.
var errPanicked = errors.New("the search panicked")

// Search returns the program's move in the game's current position. Its time is planned
// and limited like that of our own searches, or planned by the program itself; it must
// answer within grace after the limit. An error means that there is no move: see the
// pool's errors and [external.Engine.SearchAndReport].
//
// To ponder, the process of a game searches until the context is done, if it is idle and
// no search needs its threads. There is no move; the results stay in its table.
//
// The game must not change before the context is done. report is called on the calling
// goroutine.
func (p *Pool) Search(ctx context.Context, game string, g *rules.Game, l engine.Limits, grace time.Duration, report func(engine.Info)) (r engine.Result, err error) {
	p.Start()
	s := programSearch{pool: p, game: g.Clone(), limits: l, timer: p.newTimer(l, g.Position()), grace: grace, report: report}
	if l.Ponder && p.engine.Protocol == config.XBoard { // it would have to take moves back
		return r, errNoPondering
	}
	c, err := p.assign(game)
	if err != nil {
		return r, err
	}
	if !c.acquire(ctx, s.patience()) {
		return r, ErrLate
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if !p.beginSearch(c, l.Ponder, stop) {
		<-c.busy
		return r, errNoPondering
	}
	err = errPanicked
	defer func() {
		p.endSearch(c)
		c.release(err)
	}()
	r, err = s.run(ctx, c, game)
	return r, err
}

// programSearch is a search by a process.
type programSearch struct {
	pool   *Pool
	game   *rules.Game
	limits engine.Limits
	timer  engine.MoveTimer
	grace  time.Duration
	report func(engine.Info) // may be nil
}

// patience fires when a process that is not idle is no longer waited for.
func (s *programSearch) patience() <-chan time.Time {
	switch deadline := s.timer.Deadline(); {
	case s.limits.Ponder:
		return time.After(0)
	case deadline.IsZero():
		return nil
	default:
		return time.After(time.Until(deadline) / busyShare)
	}
}

// run performs the search. A process that is late is killed.
func (s *programSearch) run(ctx context.Context, c *process, id string) (engine.Result, error) {
	silence := s.pool.timing.answer
	if deadline := s.timer.Deadline(); !deadline.IsZero() {
		left := time.Until(deadline)
		silence = max(left/silenceShare, minSilence)
		defer time.AfterFunc(left+s.grace, func() { c.abort(ErrLate) }).Stop()
	}
	if err := c.setUp(context.WithoutCancel(ctx), id, silence); err != nil {
		return engine.Result{}, err
	}
	ctx, stop := s.timer.WithDeadline(ctx)
	defer stop()
	depth := 0
	return c.engine.SearchAndReport(ctx, s.game, s.programLimits(), func(i engine.Info) {
		if s.report != nil {
			s.report(i)
		}
		if i.Depth > depth && s.timer.ShouldStop(i.PV[0], i.Score, s.timer.Elapsed(0)) {
			stop()
		}
		depth = max(depth, i.Depth)
	})
}

// newTimer returns the timer of a search. A program that plans its time is only limited by
// what the clock has left, less the overhead.
func (p *Pool) newTimer(l engine.Limits, root *rules.Position) engine.MoveTimer {
	if left := *ownClock(&l, root.Turn()); p.engine.Clock == config.ProgramClock && left > 0 {
		limit := max(left-l.Overhead, time.Millisecond)
		if l.MoveTime > 0 {
			limit = min(limit, l.MoveTime)
		}
		l = engine.Limits{MoveTime: limit}
	}
	return engine.NewMoveTimer(l, root)
}

func ownClock(l *engine.Limits, us rules.Color) *time.Duration {
	if us == rules.White {
		return &l.White
	}
	return &l.Black
}

// programLimits returns the limits that the program is given. Unless it is to plan its time,
// that is a time rather than the clocks: programs plan for lags and for the rest of the game
// as they please. Over xboard's protocol it gets clocks anyway, since times of moves are
// whole seconds there.
func (s *programSearch) programLimits() engine.Limits {
	l := engine.Limits{Nodes: s.limits.Nodes, SearchMoves: s.limits.SearchMoves}
	xboard, deadline := s.pool.engine.Protocol == config.XBoard, s.timer.Deadline()
	if xboard {
		l.Nodes, l.SearchMoves = 0, nil // the protocol has no such limits
	}
	if deadline.IsZero() {
		l.Infinite = l.Nodes == 0
		return l
	}
	left, us := max(time.Until(deadline), time.Millisecond), s.game.Position().Turn()
	switch clock := *ownClock(&s.limits, us); {
	case clock > 0 && (xboard || s.pool.engine.Clock == config.ProgramClock):
		l.White, l.WhiteInc, l.Black, l.BlackInc = s.limits.White, s.limits.WhiteInc, s.limits.Black, s.limits.BlackInc
		*ownClock(&l, us) = max(clock-s.limits.Overhead-s.timer.Elapsed(0), time.Millisecond)
	case xboard:
		l.MoveTime = max(left.Truncate(time.Second), time.Second) // stopped before, if that is too long
	default:
		l.MoveTime = left
	}
	return l
}
