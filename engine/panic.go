package engine

import (
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/zhbot/zhbot/rules"
)

// PanicError is returned by [Engine.Search] after a panic in one of the search's
// goroutines. It comes with a legal move: the best one found before the panic, if
// there is one. Other searches are not affected.
type PanicError struct {
	FEN   string // position that was searched
	Value any    // of the panic
	Stack []byte // of the goroutine that panicked
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("panic while searching %s: %v", e.FEN, e.Value)
}

// fail records the first panic of a search. It is called by the goroutine that
// panicked.
func (s *search) fail(value any) {
	s.failure.CompareAndSwap(nil, &PanicError{FEN: s.root.FEN(), Value: value, Stack: debug.Stack()})
}

// recoverHelper is deferred by a helper: its panic ends this helper, and the first
// worker searches on.
func (s *search) recoverHelper() {
	if value := recover(); value != nil {
		s.fail(value)
	}
}

// recoverFirst is deferred by the goroutine of the first worker. It replaces the
// result by the move in hand if that worker panicked, and reports the panics of
// helpers too.
func (s *search) recoverFirst(first **worker, r *Result, err *error) {
	if value := recover(); value != nil {
		s.fail(value)
		*r = s.inHand(*first)
	}
	if p := s.failure.Load(); p != nil {
		*err = p
	}
}

// inHand is the result of a search whose first worker panicked, and may not be
// used any more but for the move that it liked best.
func (s *search) inHand(w *worker) Result {
	if w == nil || !slices.Contains(s.moves, w.best.first()) {
		return Result{Move: s.moves[0]}
	}
	m := w.best.first()
	return Result{Move: m, Info: Info{
		Depth: w.depth, Score: Score(w.score), Nodes: s.total.Load(), Time: time.Since(s.time.start),
		PV: []rules.Move{m}, MultiPV: s.numbered(0),
	}}
}

const (
	// plainDepth bounds a plain search.
	plainDepth  = 6
	plainHashMB = 1
)

// simplify makes a search as independent as possible of what may have caused a
// panic: the network, the threads, and what earlier searches left in the table.
func (s *search) simplify() {
	s.table = newTable(plainHashMB)
	if s.limits.Depth == 0 || s.limits.Depth > plainDepth {
		s.limits.Depth = plainDepth
	}
}
