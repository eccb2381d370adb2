package mover

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/rules"
)

// Shares of the time planned for a move.
const (
	busyShare    = 4 // one part to wait for a process while all are busy
	silenceShare = 8 // one part for an idle process to answer, but
	minSilence   = 200 * time.Millisecond
)

// Search returns the program's move in the game's current position. Its time is planned
// and limited like that of our own searches, or planned by the program itself; it must
// answer within grace after the limit. Once the context is done the best move so far is returned. An error means
// that there is no move: see the pool's errors and [external.Engine.SearchAndReport].
//
// To ponder, the process of a game searches until the context is done, if it is idle and
// no search needs its threads. There is no move; the results stay in its table.
//
// The game must not change during the search. report is called on the calling goroutine.
func (p *Pool) Search(ctx context.Context, game string, g *rules.Game, l engine.Limits, grace time.Duration, report func(engine.Info)) (engine.Result, error) {
	p.Start()
	c := &request{
		pool: p, game: g.Clone(), limits: l, timer: p.newTimer(l, g.Position()),
		ready: make(chan struct{}), infos: make(chan engine.Info, 16), done: make(chan struct{}),
	}
	if err := c.acquire(ctx, game); err != nil {
		return engine.Result{}, err
	}
	defer c.cancel()
	return c.wait(ctx, grace, report)
}

// request is a search by a process. Its goroutine talks to the process until that has
// answered, whoever still waits.
type request struct {
	pool    *Pool
	worker  *worker
	running *running
	fresh   bool // the process has not played this game before
	game    *rules.Game
	limits  engine.Limits
	timer   engine.MoveTimer

	cancel  context.CancelFunc // tells the process to stop
	stopped bool               // it ponders no more; guarded by the pool's mutex
	late    bool               // nobody waits any longer; guarded by the pool's mutex
	ready   chan struct{}      // closed when the process is about to search
	infos   chan engine.Info
	done    chan struct{} // closed when the worker is free, after the following are set
	result  engine.Result
	err     error
}

// acquire waits until there is a process for a game, and starts the search. It fails if the
// context ends, if too much of the time is gone, or if no process is running.
func (c *request) acquire(ctx context.Context, game string) error {
	p := c.pool
	var enough <-chan time.Time
	if deadline := c.timer.Deadline(); !deadline.IsZero() {
		enough = time.After(time.Until(deadline) / busyShare)
	}
	for {
		p.mu.Lock()
		s, err := p.pick(game, c.limits.Ponder)
		if s != nil {
			c.start(ctx, s, game)
		}
		changed := p.changed
		p.mu.Unlock()
		if s != nil || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ErrBusy
		case <-enough:
			return ErrBusy
		case <-changed:
		}
	}
}

// start starts the search by the process of a worker, which is busy until its end. The
// caller holds the pool's mutex.
func (c *request) start(ctx context.Context, s *worker, game string) {
	ctx, c.cancel = context.WithCancel(ctx)
	c.worker, c.running, c.fresh = s, s.running, s.game == "" || game == ""
	c.pool.turns++
	s.request, s.game, s.used = c, game, c.pool.turns
	c.running.searches.Go(func() {
		c.result, c.err = c.talk(ctx)
		c.release()
	})
}

// release makes the worker free, or has its process replaced because of an error.
func (c *request) release() {
	s := c.worker
	c.pool.mu.Lock()
	defer c.pool.mu.Unlock()
	close(c.done) // under the mutex, see giveUp
	s.request = nil
	switch {
	case c.err == nil:
		c.running.answers++
	case s.running == c.running:
		s.running = nil
		c.running.failed <- c.err
	}
	c.pool.notify()
}

// talk performs the search. A panic is an error: the process may have caused it.
func (c *request) talk(ctx context.Context) (result engine.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if err := c.prepare(context.WithoutCancel(ctx)); err != nil {
		return engine.Result{}, err
	}
	close(c.ready)
	ctx, stop := c.timer.WithDeadline(ctx)
	defer stop()
	depth := 0
	return c.running.engine.SearchAndReport(ctx, c.game, c.programLimits(), func(i engine.Info) {
		select {
		case c.infos <- i:
		default: // the next one says more
		}
		if i.Depth > depth && c.timer.ShouldStop(i.PV[0], i.Score, c.timer.Elapsed(0)) {
			stop()
		}
		depth = max(depth, i.Depth)
	})
}

// prepare waits until the process is ready for the search.
func (c *request) prepare(ctx context.Context) error {
	if !c.fresh {
		return c.running.engine.Ready(ctx)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.pool.timing.newGame, external.ErrTimeout)
	defer cancel()
	return c.running.engine.NewGame(ctx)
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
func (c *request) programLimits() engine.Limits {
	l := engine.Limits{Nodes: c.limits.Nodes, SearchMoves: c.limits.SearchMoves}
	xboard, deadline := c.pool.engine.Protocol == config.XBoard, c.timer.Deadline()
	if xboard {
		l.Nodes, l.SearchMoves = 0, nil // the protocol has no such limits
	}
	if deadline.IsZero() {
		l.Infinite = l.Nodes == 0
		return l
	}
	left, us := max(time.Until(deadline), time.Millisecond), c.game.Position().Turn()
	switch clock := *ownClock(&c.limits, us); {
	case clock > 0 && (xboard || c.pool.engine.Clock == config.ProgramClock):
		l.White, l.WhiteInc, l.Black, l.BlackInc = c.limits.White, c.limits.WhiteInc, c.limits.Black, c.limits.BlackInc
		*ownClock(&l, us) = max(clock-c.limits.Overhead-c.timer.Elapsed(0), time.Millisecond)
	case xboard:
		l.MoveTime = max(left.Truncate(time.Second), time.Second) // stopped before, if that is too long
	default:
		l.MoveTime = left
	}
	return l
}

// wait waits for the result, and reports progress.
func (c *request) wait(ctx context.Context, grace time.Duration, report func(engine.Info)) (engine.Result, error) {
	var late, silent <-chan time.Time
	if deadline := c.timer.Deadline(); !deadline.IsZero() {
		left := time.Until(deadline)
		late = time.After(left + grace)
		if !c.fresh {
			silent = time.After(min(max(left/silenceShare, minSilence), left+grace))
		}
	}
	var best engine.Info
	for ready := c.ready; ; {
		select {
		case <-c.done:
			return c.result, c.err
		case <-ready:
			ready, silent = nil, nil
		case best = <-c.infos:
			if report != nil {
				report(best)
			}
		case <-late:
			return c.giveUp()
		case <-silent:
			return c.giveUp()
		case <-ctx.Done():
			switch {
			case c.limits.Ponder:
				return engine.Result{}, nil
			case len(best.PV) == 0:
				return c.giveUp()
			}
			return engine.Result{Move: best.PV[0], Info: best}, nil
		}
	}
}

// giveUp stops waiting for the process, unless it has just answered.
func (c *request) giveUp() (engine.Result, error) {
	c.pool.mu.Lock()
	defer c.pool.mu.Unlock()
	select {
	case <-c.done:
		return c.result, c.err
	default:
		c.late = true
		return engine.Result{}, ErrLate
	}
}
