package engine

import (
	"slices"

	"github.com/zhbot/zhbot/rules"
)

// deepen searches the root deeper and deeper, for so many lines, until the search
// ends, and calls done after each finished depth; done returns true to end it.
func (w *worker) deepen(first, lines int, done func(depth int) bool) {
	last := maxPly - 1
	if limit := w.limits.Depth; limit > 0 {
		last = min(last, limit)
	}
	for depth := first; depth <= last; depth++ {
		w.rootDepth, w.selDepth = depth, 0
		w.searchLines(depth, lines)
		if w.stopped || done(depth) {
			return
		}
	}
}

// aspire searches the root to a depth, first with a narrow window around the
// score of the depth before, which is widened on the side where it fails.
func (w *worker) aspire(depth int) {
	alpha, beta, width := -infinity, infinity, aspirationWindow
	if depth >= aspirationDepth && abs(w.score) < mateBound {
		alpha, beta = w.score-width, w.score+width
	}
	for {
		score := w.negamax(alpha, beta, depth, 0, false)
		switch {
		case w.stopped:
			return
		case score <= alpha:
			beta = (alpha + beta) / 2
			alpha = widen(score - width)
		case score >= beta:
			beta = widen(score + width)
		default:
			return
		}
		width *= 2
	}
}

// widen opens a window wholly once it reaches for mates.
func widen(limit int) int {
	switch {
	case limit > mateBound/4:
		return infinity
	case limit < -mateBound/4:
		return -infinity
	}
	return limit
}

// allowed reports whether the root may play a move.
func (s *search) allowed(m rules.Move) bool {
	return !s.restricted() || slices.Contains(s.limits.SearchMoves, m)
}

// restricted reports whether the root may play only some of its moves.
func (s *search) restricted() bool { return len(s.limits.SearchMoves) > 0 }
