package engine

import (
	"cmp"
	"sync"
)

// helperCount returns the maximum number of helpers of a search. A search limited by
// nodes, as all below full strength are, has none, so that it is repeatable.
func (e *Engine) helperCount(s *search) int {
	if s.limits.Nodes > 0 || s.limits.NodesTime > 0 || s.limits.Plain || !s.limits.Strength.Full() {
		return 0
	}
	return e.threads - 1
}

// runHelper searches the same position for the table entries that it leaves (lazy SMP),
// and in case it gets deeper. Every second helper starts one ply deeper, for diversity.
func (e *Engine) runHelper(s *search, class claimClass, number int, keys []uint64) {
	defer s.recoverHelper()
	c := newClaim(class, s.time.Deadline())
	if !s.sched.acquire(c, s.quit) {
		return
	}
	defer s.sched.release(c)
	w := e.acquireWorker(keys)
	w.start(s, c)
	w.iterativeDeepening(1+(number+1)%2, 1, func(depth int) bool {
		w.depth = depth
		s.deepest.offer(w)
		return false
	})
	e.releaseWorker(w)
}

// deepest is the best line of all helpers: one to a mate, or else of the deepest search,
// or else the one with the highest score.
type deepest struct {
	mu    sync.Mutex
	depth int // 0 if no helper has finished a depth
	variation
}

// compare reports whether a worker's line is better (> 0) or worse (< 0).
func (d *deepest) compare(w *worker) int {
	return cmp.Or(
		cmp.Compare(max(w.score, mateBound-1), max(d.score, mateBound-1)),
		cmp.Compare(w.depth, d.depth),
		cmp.Compare(w.score, d.score),
	)
}

// offer records the line of a helper that has finished a depth, if it is better.
func (d *deepest) offer(w *worker) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.compare(w) > 0 {
		d.depth, d.variation = w.depth, variation{w.best, w.score}
	}
}

// adoptDeepest makes the line of a helper the best one of the main worker, if it is better.
// A search for several lines keeps its own.
func (w *worker) adoptDeepest() {
	d := &w.deepest
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.depth > 0 && w.lineCount() == 1 && d.compare(w) < 0 {
		w.best, w.score, w.depth = d.line, d.score, d.depth
	}
}
