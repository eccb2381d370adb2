package engine

import "slices"

// finish reports a finished depth and decides whether the search is done.
func (w *worker) finish(depth int, report func(Info)) (done bool) {
	w.depth = depth
	w.count()
	if report != nil {
		w.tell(report)
	}
	if !w.limits.Strength.full() {
		w.nextPoll = 0 // its nodes may be used up
	}
	enough := w.time.enough(w.best.first(), w.score, w.time.elapsed(w.nodes))
	return enough || w.mateFound()
}

// mateFound reports whether a mate is found that deeper search need not
// better: one within the limit asked for, or, on a clock, one that the depth
// has covered.
func (w *worker) mateFound() bool {
	moves, ok := Score(w.score).MateIn()
	switch {
	case !ok || w.limits.Infinite || w.limits.Ponder:
		return false
	case w.limits.Mate > 0:
		return moves > 0 && moves <= w.limits.Mate
	}
	return w.time.timed() && w.depth > 2*abs(moves)
}

// info describes the search as it stands, and the best line as one of a rank,
// from 0.
func (w *worker) info(rank int) Info {
	nodes := w.total.Load()
	elapsed := w.time.elapsed(nodes)
	return Info{
		Depth:    w.depth,
		SelDepth: w.selDepth,
		Score:    Score(w.score),
		Nodes:    nodes,
		NPS:      uint64(float64(nodes) / max(elapsed.Seconds(), 1e-6)),
		Time:     elapsed,
		HashFull: w.table.permilleFull(),
		PV:       slices.Clone(w.best.moves[:w.best.n]),
		MultiPV:  w.numbered(rank),
	}
}

// result returns the best move so far, and if the search never came to one,
// the best at first sight.
func (w *worker) result() Result {
	if w.best.n == 0 {
		w.glance()
	}
	rank := w.chooseLine()
	info := w.info(rank)
	r := Result{Move: info.PV[0], Info: info}
	if len(info.PV) > 1 {
		r.Ponder = info.PV[1]
	}
	return r
}

// glance chooses the move that the table remembers or, failing that, the one
// with the best static evaluation.
func (w *worker) glance() {
	w.best.n = 1
	known, _ := w.table.probe(w.keys[0], 0)
	if slices.Contains(w.moves, known.move) {
		w.best.moves[0], w.score = known.move, known.score
		return
	}
	w.score = -infinity
	for _, m := range w.moves {
		w.play(0, m)
		if score := -w.evaluate(1); score > w.score {
			w.best.moves[0], w.score = m, score
		}
	}
}
