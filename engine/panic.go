package engine

import (
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/rules"
)

// PanicError is returned by [Engine.Search] after a panic in one of the search's
// goroutines, together with a legal move: the best one found before the panic, if any.
// Other searches are not affected.
type PanicError struct {
	FEN   string // the position; "" if it is unknown
	Value any    // the value of panic
	Stack []byte // the stack of the goroutine
}

// Error implements error.
func (e *PanicError) Error() string {
	return fmt.Sprintf("panic at %q: %v", e.FEN, e.Value)
}

// recordPanic records the first panic of a search. The goroutine that panicked calls it.
func (s *search) recordPanic(value any) {
	s.panicked.CompareAndSwap(nil, &PanicError{FEN: s.root.FEN(), Value: value, Stack: debug.Stack()})
}

// recoverHelper is deferred by helpers: a panic ends the helper, and the main worker goes
// on.
func (s *search) recoverHelper() {
	if value := recover(); value != nil {
		s.recordPanic(value)
	}
}

// recoverMain is deferred by the goroutine of the main worker. After a panic there it
// replaces the result by the best move so far. It also reports panics of helpers.
func (s *search) recoverMain(first **worker, r *Result, err *error) {
	if value := recover(); value != nil {
		s.recordPanic(value)
		*r = s.bestSoFar(*first)
	}
	if p := s.panicked.Load(); p != nil {
		*err = p
	}
}

// bestSoFar returns the result of a search whose main worker panicked. Of that worker only
// the best line is used.
func (s *search) bestSoFar(w *worker) Result {
	if w != nil && len(w.lines) > 0 {
		w.selectLine(0) // it may have been at another line
	}
	if w == nil || !slices.Contains(s.rootMoves, w.best.first()) {
		return Result{Move: s.rootMoves[0]}
	}
	m := w.best.first()
	return Result{Move: m, Info: Info{
		Depth: w.depth, Score: Score(w.score), Nodes: s.totalNodes.Load(), Time: time.Since(s.time.start),
		PV: []rules.Move{m}, MultiPV: s.multiPVIndex(0),
	}}
}

const (
	// plainDepth limits a plain search, in plies.
	plainDepth  = 6
	plainHashMB = 1
)

// makePlain makes a search independent of what may have caused a panic: a network
// from a file, the threads, and the table.
func (s *search) makePlain() {
	s.table, s.network = newTranspositionTable(plainHashMB), nnue.Default()
	if s.limits.Depth == 0 || s.limits.Depth > plainDepth {
		s.limits.Depth = plainDepth
	}
}
