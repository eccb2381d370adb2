package engine

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/rules"
)

// ErrGameOver is returned by [Engine.Search] if there is no legal move.
var ErrGameOver = errors.New("no legal move: the game is over")

// defaultHashMB is the default size of the transposition table.
const defaultHashMB = 64

// Options are the resources of an [Engine], shared by all its searches.
type Options struct {
	Threads int // search threads; 0 means one for each core
	HashMB  int // size of the transposition table in MiB; 0 means 64

	// Network evaluates positions; nil means the embedded network.
	Network *Network

	Parameters Parameters // the zero value means the defaults
}

// Engine searches positions of any number of games. All methods are safe for concurrent
// use.
type Engine struct {
	threads     int
	table       *transpositionTable
	sched       *scheduler
	network     *nnue.Network
	params      *Parameters
	ponderSlots chan struct{} // one element for each pondering search

	mu      sync.Mutex
	idle    []*worker // workers of no search, the longest idle first
	running int       // searches in progress
	started int       // searches started in this generation of the table

	helpers sync.WaitGroup // may outlive their search by a few nodes
}

// WithDefaults returns the options with defaults for those that are not set.
func (o Options) WithDefaults() Options {
	if o.Threads <= 0 {
		o.Threads = runtime.NumCPU()
	}
	if o.HashMB <= 0 {
		o.HashMB = defaultHashMB
	}
	if o.Network == nil {
		o.Network = nnue.Default()
	}
	if o.Parameters == (Parameters{}) {
		o.Parameters = DefaultParameters()
	}
	return o
}

// New returns an engine with an empty transposition table.
func New(o Options) *Engine {
	o = o.WithDefaults()
	return &Engine{
		threads: o.Threads, table: newTranspositionTable(o.HashMB), sched: newScheduler(o.Threads), network: o.Network,
		params: &o.Parameters, ponderSlots: make(chan struct{}, o.Threads),
	}
}

// NewSharing returns an engine with a network and a table of its own that shares the
// threads of e: the searches of both take turns as those of one engine do.
func (e *Engine) NewSharing(hashMB int, network *Network) *Engine {
	return &Engine{
		threads: e.threads, table: newTranspositionTable(hashMB), sched: e.sched, network: network,
		params: e.params, ponderSlots: e.ponderSlots,
	}
}

// SetParameters sets the parameters of later searches. No search may be running.
func (e *Engine) SetParameters(p Parameters) { e.params = &p }

// Clear forgets everything learned by earlier searches. Call it between games that must
// not influence each other. No search may be running.
func (e *Engine) Clear() {
	e.helpers.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.table.clear(e.threads)
	for _, w := range e.idle {
		w.gameKey = 0 // matches no game, so the histories are cleared on reuse
	}
	e.started = 0
}

// Search returns the best move that it finds in the game's current position before a limit
// is reached or the context is done. A done context is not an error: Search always returns
// a legal move if there is one. A single legal move is returned at once, without a search,
// if there is a clock.
//
// If report is not nil, Search calls it after each finished depth, on the calling
// goroutine. The game must not change during the search.
//
// The errors are [ErrGameOver] and, together with a legal move, [*PanicError].
func (e *Engine) Search(ctx context.Context, g *rules.Game, l Limits, report func(Info)) (Result, error) {
	s := e.newSearch(g, l)
	if len(s.rootMoves) == 0 {
		return Result{}, ErrGameOver
	}
	if s.time.timed() && !s.time.fixed && len(s.rootMoves) == 1 {
		return s.resultWithoutSearch(), nil
	}
	if l.Ponder {
		select {
		case e.ponderSlots <- struct{}{}:
			defer func() { <-e.ponderSlots }()
		case <-ctx.Done():
			return s.resultWithoutSearch(), nil // nobody plays the move
		}
	}
	searchCtx, cancel := s.time.WithDeadline(ctx)
	s.quit = searchCtx.Done()
	unwatch := context.AfterFunc(searchCtx, func() { s.stop.Store(true) })
	end := func() {
		unwatch() // or each search would start a goroutine at its end
		cancel()
	}
	defer end()

	e.searchStarted()
	defer e.searchEnded()
	result, err := e.run(s, g.AllKeys(), end, report)
	if l.Infinite || l.Ponder {
		<-ctx.Done()
	}
	return result, err
}

// newSearch returns the state of a search of the game's current position.
func (e *Engine) newSearch(g *rules.Game, l Limits) *search {
	s := &search{params: e.params, table: e.table, network: e.network, sched: e.sched, limits: l, root: *g.Position()}
	if l.Plain {
		s.makePlain()
	}
	s.time = newMoveTimer(l, &s.root, e.params)
	s.repeatedKeys = repeatedKeys(g.Keys())
	s.rootMoves = slices.DeleteFunc(s.root.LegalMoves(), func(m rules.Move) bool {
		return len(l.SearchMoves) > 0 && !slices.Contains(l.SearchMoves, m)
	})
	s.omitUnseen()
	return s
}

// repeatedKeys returns the keys that occur at least twice.
func repeatedKeys(keys []uint64) (repeats []uint64) {
	sorted := slices.Sorted(slices.Values(keys))
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			repeats = append(repeats, sorted[i])
		}
	}
	return slices.Compact(repeats)
}

// resultWithoutSearch returns the first root move and its static evaluation.
func (s *search) resultWithoutSearch() Result {
	score := Score(s.network.Evaluate(&s.root))
	return Result{Move: s.rootMoves[0], Info: Info{Score: score, PV: s.rootMoves[:1:1], MultiPV: s.multiPVIndex(0)}}
}

// searchStarted counts a search. A generation of the table lasts about one search of each
// running game, so that games do not age each other's entries.
func (e *Engine) searchStarted() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running++
	e.started++
	if e.started >= e.running {
		e.started = 0
		e.table.newGeneration()
	}
}

func (e *Engine) searchEnded() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running--
}

// run searches with the main worker on the calling goroutine, and with a helper for each
// other thread that no other main worker needs. Helpers are told to stop when it returns,
// but it does not wait for them: with all cores busy that would cost milliseconds on the
// clock.
func (e *Engine) run(s *search, keys []uint64, end func(), report func(Info)) (
	result Result, err error) {
	var w *worker
	defer s.recoverMain(&w, &result, &err)
	class := mainClass
	if s.limits.Ponder || s.limits.Background {
		class = ponderClass
	}
	c := newClaim(class, s.time.Deadline())
	defer func() { // runs first, even after a panic
		s.sched.release(c)
		s.stop.Store(true)
		end()
	}()
	granted := s.sched.acquire(c, s.quit)
	if s.limits.Plain {
		w = newWorker(s.network)
	} else {
		w = e.acquireWorker(keys) // not earlier: hundreds of searches may wait for a thread
	}
	w.start(s, c)
	if s.limits.Bounds {
		w.report = report
	}
	if granted {
		helperKeys := slices.Clone(keys) // helpers may outlive the search, and the game's own keys change
		for i := range e.helperCount(s) {
			e.helpers.Go(func() { e.runHelper(s, max(class, helperClass), i, helperKeys) })
		}
		w.iterativeDeepening(1, s.lineCount(), func(depth int) bool { return w.finishDepth(depth, report) })
		w.adoptDeepest()
	}
	result = w.result()
	if !s.limits.Plain {
		e.releaseWorker(w) // not after a panic
	}
	return result, nil
}

// maxIdle is how many idle workers are kept, beyond one for each thread.
const maxIdle = 16

// acquireWorker returns an idle worker, if possible the one that searched a position of the same
// game, whose keys are given, with its histories. Any other worker starts with empty histories.
func (e *Engine) acquireWorker(keys []uint64) (w *worker) {
	e.mu.Lock()
	defer e.mu.Unlock()
	i := slices.IndexFunc(e.idle, func(w *worker) bool { return slices.Contains(keys, w.gameKey) })
	if len(e.idle) == 0 {
		w = newWorker(e.network)
	} else {
		sameGame := i >= 0
		if !sameGame {
			i = 0 // the longest idle one: its game may be over
		}
		w = e.idle[i]
		e.idle = slices.Delete(e.idle, i, i+1)
		if !sameGame {
			w.history = history{}
		}
	}
	switch n := len(keys); {
	case n >= 4: // not the last one, which may be a reply that is only pondered on
		w.gameKey = keys[n-2]
	case n > 0:
		w.gameKey = keys[n-1]
	}
	return w
}

// releaseWorker makes a worker idle. Beyond the limit, the longest idle workers are
// dropped: their histories are the oldest.
func (e *Engine) releaseWorker(w *worker) {
	w.search = nil
	e.mu.Lock()
	defer e.mu.Unlock()
	e.idle = append(e.idle, w)
	e.idle = slices.Delete(e.idle, 0, max(0, len(e.idle)-maxIdle-e.threads))
}
