package mover

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

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
// and limited like that of our own searches, and the program must answer within grace
// after that. Once the context is done the best move so far is returned. An error means
// that there is no move: see the pool's errors and [external.UCI.SearchAndReport].
//
// The game must not change during the search. report is called on the calling goroutine.
func (p *Pool) Search(ctx context.Context, game string, g *rules.Game, l engine.Limits, grace time.Duration, report func(engine.Info)) (engine.Result, error) {
	p.Start()
	start, timer := time.Now(), engine.NewMoveTimer(l, g.Position())
	deadline := timer.Deadline()
	waiting, cancel := ctx, context.CancelFunc(func() {})
	if !deadline.IsZero() {
		waiting, cancel = context.WithDeadline(ctx, start.Add(deadline.Sub(start)/busyShare))
	}
	s, r, fresh, err := p.acquire(waiting, game)
	cancel()
	if err != nil {
		return engine.Result{}, err
	}
	c := s.start(ctx, r, fresh, g, l, timer)
	defer c.cancel()
	return c.wait(ctx, deadline, grace, report)
}

// Ponder has the process of a game search the current position until the context is done,
// if it is idle and no search needs its threads. The results stay in its table.
func (p *Pool) Ponder(ctx context.Context, game string, g *rules.Game) error {
	p.Start()
	ctx, end := context.WithCancel(ctx)
	defer end()
	s, r, err := p.acquireToPonder(game, end)
	if err != nil {
		return err
	}
	l := engine.Limits{Ponder: true}
	c := s.start(ctx, r, false, g, l, engine.NewMoveTimer(l, g.Position()))
	defer c.cancel()
	select {
	case <-ctx.Done():
		return nil
	case <-c.done:
		return c.err
	}
}

// request is a search by a process. Its goroutine talks to the process until that has
// answered, whoever still waits.
type request struct {
	worker  *worker
	running *running
	fresh   bool // the process has not played this game before
	game    *rules.Game
	limits  engine.Limits
	timer   *engine.MoveTimer

	cancel context.CancelFunc // tells the process to stop
	ready  chan struct{}      // closed when the process is about to search
	infos  chan engine.Info
	done   chan struct{} // closed when the worker is released, after the following are set
	result engine.Result
	err    error
}

// start starts a search by the process of a worker, which is busy until its end.
func (s *worker) start(ctx context.Context, r *running, fresh bool, g *rules.Game, l engine.Limits, timer *engine.MoveTimer) *request {
	ctx, cancel := context.WithCancel(ctx)
	c := &request{
		worker: s, running: r, fresh: fresh, game: g.Clone(), limits: l, timer: timer, cancel: cancel,
		ready: make(chan struct{}), infos: make(chan engine.Info, 16), done: make(chan struct{}),
	}
	s.pool.wg.Go(func() {
		c.result, c.err = c.talk(ctx)
		s.release(c)
	})
	return c
}

// talk performs the search. A panic is an error: the process may have caused it.
func (c *request) talk(ctx context.Context) (result engine.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	c.running.use.Lock()
	defer c.running.use.Unlock()
	if err := c.prepare(context.WithoutCancel(ctx)); err != nil {
		return engine.Result{}, err
	}
	close(c.ready)
	ctx, stop := c.withDeadline(ctx)
	defer stop()
	depth := 0
	return c.running.uci.SearchAndReport(ctx, c.game, c.programLimits(), func(i engine.Info) {
		select {
		case c.infos <- i:
		default: // the next one says more
		}
		if i.Depth > depth && c.timer.ShouldStop(i.PV[0], i.Score) {
			stop()
		}
		depth = max(depth, i.Depth)
	})
}

// prepare waits until the process is ready for the search.
func (c *request) prepare(ctx context.Context) error {
	if !c.fresh {
		return c.running.uci.Ready(ctx)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.worker.pool.timing.newGame, external.ErrTimeout)
	defer cancel()
	return c.running.uci.NewGame(ctx)
}

// withDeadline returns a context that is done when the process has to stop.
func (c *request) withDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if deadline := c.timer.Deadline(); !deadline.IsZero() {
		return context.WithDeadline(ctx, deadline)
	}
	return context.WithCancel(ctx)
}

// programLimits returns the limits that the program is given. It gets a time rather than
// the clocks: programs plan for lags and for the rest of the game as they please.
func (c *request) programLimits() engine.Limits {
	l := engine.Limits{Nodes: c.limits.Nodes, SearchMoves: c.limits.SearchMoves}
	deadline := c.timer.Deadline()
	l.Infinite = deadline.IsZero() && l.Nodes == 0
	if !deadline.IsZero() {
		l.MoveTime = max(time.Until(deadline), time.Millisecond)
	}
	return l
}

// wait waits for the result, and reports progress.
func (c *request) wait(ctx context.Context, deadline time.Time, grace time.Duration, report func(engine.Info)) (engine.Result, error) {
	var late, silent <-chan time.Time
	if !deadline.IsZero() {
		left := time.Until(deadline)
		lateTimer := time.NewTimer(left + grace)
		defer lateTimer.Stop()
		late = lateTimer.C
		if !c.fresh {
			silentTimer := time.NewTimer(min(max(left/silenceShare, minSilence), left+grace))
			defer silentTimer.Stop()
			silent = silentTimer.C
		}
	}
	var best engine.Info
	ready := c.ready
	for {
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
			if len(best.PV) == 0 {
				return c.giveUp()
			}
			return engine.Result{Move: best.PV[0], Info: best}, nil
		}
	}
}

// giveUp stops waiting for the process, unless it has just answered: the worker may be
// another search's by now.
func (c *request) giveUp() (engine.Result, error) {
	c.worker.pool.mu.Lock()
	defer c.worker.pool.mu.Unlock()
	select {
	case <-c.done:
		return c.result, c.err
	default:
		c.worker.late = true
		return engine.Result{}, ErrLate
	}
}
