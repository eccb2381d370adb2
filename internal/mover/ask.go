package mover

import (
	"context"
	"errors"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

var (
	// errNoPondering is why a search on the opponent's time is refused.
	errNoPondering = errors.New("no process is free to ponder")
	// errPanicked is why a process is replaced whose search ended in a panic.
	errPanicked = errors.New("the search panicked")
)

// Search returns the program's move in the game's current position. Its time is planned
// and limited like that of our own searches, or planned by the program itself; it must
// answer within grace after the limit. An error means that there is no move: see the
// pool's errors and [external.Engine.SearchAndReport].
//
// To ponder, the process of a game searches until the context is done, if no search needs
// its threads. There is no move; the results stay in its table.
//
// The game must not change before the context is done. report is called on the calling
// goroutine.
func (p *pool) Search(
	ctx context.Context, game string, g *rules.Game, l engine.Limits, grace time.Duration, report func(engine.Info),
) (r engine.Result, err error) {
	p.Start()
	if l.Ponder && p.engine.Protocol == config.XBoard { // it would have to take moves back
		return r, errNoPondering
	}
	c, err := p.assign(game)
	if err != nil {
		return r, err
	}
	g, timer := g.Clone(), p.newTimer(l, g.Position())
	if deadline := timer.Deadline(); !deadline.IsZero() {
		defer time.AfterFunc(time.Until(deadline)+grace, func() { c.abort(errLate) }).Stop()
	}
	select {
	case c.busy <- struct{}{}: // it no longer ponders or prepares for the game
	case <-c.engine.Done():
		return r, c.engine.Err()
	case <-ctx.Done():
		return r, errLate
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if !p.begin(c, l.Ponder, stop) {
		<-c.busy
		return r, errNoPondering
	}
	err = errPanicked
	defer func() { p.end(c, err) }()
	ctx, stop = timer.WithDeadline(ctx)
	defer stop()
	depth := 0
	r, err = c.engine.SearchAndReport(ctx, g, p.limits(l, &timer, g.Position().Turn()), func(i engine.Info) {
		if report != nil {
			report(i)
		}
		if i.Depth > depth && timer.ShouldStop(i.PV[0], i.Score, engine.TypicalEffort, timer.Elapsed(0)) {
			stop()
		}
		depth = max(depth, i.Depth)
	})
	return r, err
}

// begin reports whether a process may search. While there are as many searches as threads,
// none may ponder, and the search for a move stops one that does.
func (p *pool) begin(c *process, ponder bool, stop context.CancelFunc) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	full := len(p.searching) >= max(p.engine.Threads, 1)
	if ponder {
		if !full {
			p.searching[c] = stop
		}
		return !full
	}
	for other, stop := range p.searching {
		if full && stop != nil {
			stop()
			p.searching[other] = nil
			break
		}
	}
	p.searching[c] = nil
	return true
}

// end ends what begin has begun. A process that failed is replaced.
func (p *pool) end(c *process, err error) {
	p.mu.Lock()
	delete(p.searching, c)
	p.mu.Unlock()
	if err != nil {
		c.abort(err)
	} else {
		c.moves++
	}
	<-c.busy
}

// newTimer returns the timer of a search. A program that plans its time is only limited by
// what the clock has left, less the overhead.
func (p *pool) newTimer(l engine.Limits, root *rules.Position) engine.MoveTimer {
	if left := *l.Clock(root.Turn()); p.engine.Clock == config.ProgramClock && left > 0 {
		limit := max(left-l.Overhead, time.Millisecond)
		if l.MoveTime > 0 {
			limit = min(limit, l.MoveTime)
		}
		l = engine.Limits{MoveTime: limit}
	}
	return engine.NewMoveTimer(l, root)
}

// limits returns the limits that the program is given. Unless it is to plan its time, that
// is a time rather than the clocks: programs plan for lags and for the rest of the game as
// they please. Over xboard's protocol it gets clocks anyway, since times of moves are whole
// seconds there.
func (p *pool) limits(own engine.Limits, timer *engine.MoveTimer, us rules.Color) engine.Limits {
	l := engine.Limits{Nodes: own.Nodes, SearchMoves: own.SearchMoves}
	xboard, deadline := p.engine.Protocol == config.XBoard, timer.Deadline()
	if xboard {
		l.Nodes, l.SearchMoves = 0, nil // the protocol has no such limits
	}
	if deadline.IsZero() {
		l.Infinite = l.Nodes == 0
		return l
	}
	left := max(time.Until(deadline), time.Millisecond)
	switch clock := *own.Clock(us); {
	case clock > 0 && (xboard || p.engine.Clock == config.ProgramClock):
		l.White, l.WhiteInc, l.Black, l.BlackInc = own.White, own.WhiteInc, own.Black, own.BlackInc
		*l.Clock(us) = max(clock-own.Overhead-timer.Elapsed(0), time.Millisecond)
	case xboard:
		l.MoveTime = max(left.Truncate(time.Second), time.Second) // stopped before, if that is too long
	default:
		l.MoveTime = left
	}
	return l
}
