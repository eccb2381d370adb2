package engine

// iterativeDeepening searches the root to one depth after another, from first on, for the
// given number of lines. It calls done after each finished depth and ends when that
// returns true.
func (w *worker) iterativeDeepening(first, lines int, done func(depth int) bool) {
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

// aspirationSearch searches the root to a depth with a narrow window around the score of
// the previous depth. On a fail low or fail high it widens the window on that side.
func (w *worker) aspirationSearch(depth int) {
	alpha, beta, width := -infinity, infinity, w.params.AspirationWindow
	if depth >= aspirationDepth && abs(w.score) < mateBound {
		alpha, beta = w.score-width, w.score+width
	}
	for {
		nodesBefore := w.nodes
		score := w.negamax(alpha, beta, depth, 0, false)
		switch {
		case w.stopped:
			return
		case score <= alpha:
			beta = (alpha + beta) / 2
			alpha = widenBound(score - width)
			w.reportBound(score, "upperbound")
		case score >= beta:
			beta = widenBound(score + width)
			w.reportBound(score, "lowerbound")
		default:
			if w.pvIndex == 0 {
				w.effort = int(100 * w.bestNodes / (w.nodes - nodesBefore))
			}
			return
		}
		width *= 2
	}
}

// widenBound opens a window completely once it approaches mate scores.
func widenBound(limit int) int {
	switch {
	case limit > mateBound/4:
		return infinity
	case limit < -mateBound/4:
		return -infinity
	}
	return limit
}
