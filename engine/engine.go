package engine

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/rules"
)

// ErrGameOver is returned by [Engine.Search] when there is no legal move.
var ErrGameOver = errors.New("no legal move: the game is over")

// defaultHashMB is the size of the transposition table if none is asked for.
const defaultHashMB = 64

// Options are the resources of an [Engine], for all its searches together.
type Options struct {
	Threads int // search threads; 0 means one for each core
	HashMB  int // size of the transposition table in MiB; 0 means 64

	// Network evaluates positions; nil means the hand-written evaluation.
	Network *Network
}

// Engine searches positions of any number of games. All methods may be called
// concurrently.
type Engine struct {
	threads int
	table   *table
	sched   *scheduler
	network *nnue.Network
	ponders chan struct{} // holds one for each search that ponders

	mu      sync.Mutex
	idle    []*worker // workers that no search uses
	running int       // searches under way
	begun   int       // searches begun in this generation of the table

	helping sync.WaitGroup // helpers, which may outlive their search by a few nodes
}

// New returns an engine with an empty transposition table.
func New(o Options) *Engine {
	if o.Threads <= 0 {
		o.Threads = runtime.NumCPU()
	}
	if o.HashMB <= 0 {
		o.HashMB = defaultHashMB
	}
	return &Engine{
		threads: o.Threads, table: newTable(o.HashMB), sched: newScheduler(o.Threads), network: o.Network,
		ponders: make(chan struct{}, o.Threads),
	}
}

// Clear forgets everything learned from earlier searches. Call it between
// games that must not influence each other; no search may be running.
func (e *Engine) Clear() {
	e.helping.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.table.clear()
	for _, w := range e.idle {
		w.lastKey = 0 // of no game, so that it begins with empty histories
	}
	e.begun = 0
}

// Search looks for the best move in the game's current position until a limit
// is reached or the context is done, and returns the best move found by then:
// a done context is no error. A single legal move is returned at once when the
// search has a time limit. Search calls report, if not nil, after each finished
// depth, from the calling goroutine. The game must not change meanwhile. The
// errors are [ErrGameOver] and, along with a legal move, [*PanicError].
func (e *Engine) Search(ctx context.Context, g *rules.Game, l Limits, report func(Info)) (Result, error) {
	s := e.newSearch(g, l, time.Now())
	if len(s.moves) == 0 {
		return Result{}, ErrGameOver
	}
	if s.time.timed() && len(s.moves) == 1 {
		return e.forced(s), nil
	}
	if l.Ponder {
		select {
		case e.ponders <- struct{}{}:
			defer func() { <-e.ponders }()
		case <-ctx.Done():
			return e.forced(s), nil // nobody plays it
		}
	}
	ends, cancel := s.context(ctx)
	defer cancel()
	s.quit = ends.Done()
	defer context.AfterFunc(ends, func() { s.stop.Store(true) })()

	e.begin()
	defer e.end()
	result, err := e.run(s, g.Keys(), cancel, report)
	if l.Infinite || l.Ponder {
		<-ctx.Done()
	}
	return result, err
}

// newSearch describes a search of the game's current position.
func (e *Engine) newSearch(g *rules.Game, l Limits, start time.Time) *search {
	s := &search{table: e.table, sched: e.sched, limits: l, root: *g.Position()}
	if l.Plain {
		s.simplify()
	}
	s.time = newTimeManager(l, s.root.Turn(), start)
	s.twice = repeated(g.Keys())
	s.moves = slices.DeleteFunc(s.root.LegalMoves(), func(m rules.Move) bool { return !s.allowed(m) })
	return s
}

// repeated returns the keys that occur at least twice.
func repeated(keys []uint64) (twice []uint64) {
	sorted := slices.Sorted(slices.Values(keys))
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			twice = append(twice, sorted[i])
		}
	}
	return slices.Compact(twice)
}

// context returns a context that is done when the search must end.
func (s *search) context(ctx context.Context) (context.Context, context.CancelFunc) {
	if deadline := s.time.deadline(); !deadline.IsZero() {
		return context.WithDeadline(ctx, deadline)
	}
	return context.WithCancel(ctx)
}

// forced is the result without a search: the first move. When it is the only one,
// on a clock, thinking about it is a waste.
func (e *Engine) forced(s *search) Result {
	score := Score(evaluate(&s.root))
	if e.network != nil && !s.limits.Plain {
		score = Score(e.network.Evaluate(&s.root))
	}
	return Result{Move: s.moves[0], Info: Info{Score: score, PV: s.moves[:1:1], MultiPV: s.numbered(0)}}
}

// begin counts a search in. A generation of the table lasts for about one
// search of every game under way, so that games do not age each other's
// entries.
func (e *Engine) begin() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running++
	e.begun++
	if e.begun >= e.running {
		e.begun = 0
		e.table.advance()
	}
}

func (e *Engine) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running--
}

// run searches with one worker on the calling goroutine, and with a helper on
// every other thread while nobody else wants it. The helpers are told to end
// when it returns, but not waited for: with all cores busy that takes
// milliseconds, which are the clock's.
func (e *Engine) run(s *search, keys []uint64, cancel context.CancelFunc, report func(Info)) (result Result, err error) {
	var w *worker
	defer s.recoverFirst(&w, &result, &err)
	class := firstWorker
	if s.limits.Ponder {
		class = ponderer
	}
	c := s.newClaim(class)
	defer func() { // first of all, also after a panic
		s.sched.release(c)
		s.stop.Store(true)
		cancel()
	}()
	begins := s.sched.acquire(c, s.quit)
	if s.limits.Plain {
		w = newWorker(nil)
	} else {
		w = e.borrow(keys) // not before: searches may wait for a thread by the hundred
	}
	w.prepare(s, c)
	if begins {
		for i := range e.helpers(s) {
			e.helping.Go(func() { e.help(s, max(class, helper), i, keys) })
		}
		w.deepen(1, s.linesWanted(), func(depth int) bool { return w.finish(depth, report) })
	}
	result = w.result()
	if !s.limits.Plain {
		e.giveBack(w) // one that panicked is of no use any more
	}
	return result, nil
}

// helpers returns how many helpers a search may have. A search limited by
// nodes, as all below full strength are, has none, so that it is repeatable.
func (e *Engine) helpers(s *search) int {
	if s.limits.Nodes > 0 || s.limits.NodesTime > 0 || s.limits.Plain || !s.limits.Strength.full() {
		return 0
	}
	return e.threads - 1
}

// help searches the same position for what it leaves in the table (lazy SMP).
// Every second helper starts one ply deeper, so that they spread.
func (e *Engine) help(s *search, class claimClass, number int, keys []uint64) {
	defer s.recoverHelper()
	c := s.newClaim(class)
	if !s.sched.acquire(c, s.quit) {
		return
	}
	defer s.sched.release(c)
	w := e.borrow(keys)
	w.prepare(s, c)
	w.deepen(1+(number+1)%2, 1, func(int) bool { return false })
	e.giveBack(w)
}

// mostIdle is how many idle workers are kept, beside one for each thread.
const mostIdle = 16

// borrow takes an idle worker, rather one that has searched an earlier
// position of the same game: it knows the game's good moves. A new or
// strange worker begins with empty histories.
func (e *Engine) borrow(keys []uint64) *worker {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.idle) == 0 {
		return newWorker(e.network)
	}
	i := slices.IndexFunc(e.idle, func(w *worker) bool { return slices.Contains(keys, w.lastKey) })
	known := i >= 0
	if !known {
		i = len(e.idle) - 1
	}
	w := e.idle[i]
	e.idle = slices.Delete(e.idle, i, i+1)
	if !known {
		w.history = history{}
	}
	return w
}

// giveBack takes a worker back. Of many, those that were given back first go: what
// they know of their games is old.
func (e *Engine) giveBack(w *worker) {
	w.search = nil
	e.mu.Lock()
	defer e.mu.Unlock()
	e.idle = append(e.idle, w)
	e.idle = slices.Delete(e.idle, 0, max(0, len(e.idle)-mostIdle-e.threads))
}
