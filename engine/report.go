package engine

import (
	"slices"
	"time"

	"github.com/zhbot/zhbot/rules"
)

// finishDepth reports a finished depth and returns whether the search is done.
func (w *worker) finishDepth(depth int, report func(Info)) (done bool) {
	w.depth = depth
	w.flushNodes()
	if report != nil {
		w.reportLines(report)
	}
	if !w.limits.Strength.Full() {
		w.nextPoll = 0 // the node limit may be reached
	}
	stop := w.time.ShouldStop(w.best.first(), Score(w.score), w.effort, w.time.Elapsed(w.nodes))
	return stop || w.mateFound()
}

// boundsAfter is when a search begins to report bounds: earlier there are many.
const boundsAfter = 3 * time.Second

// reportBound reports a score outside of the window of the search.
func (w *worker) reportBound(score int, bound string) {
	if w.report == nil {
		return
	}
	w.flushNodes()
	if i := w.info(w.pvIndex); i.Time >= boundsAfter {
		i.Depth, i.Score, i.Bound = w.rootDepth, Score(score), bound
		w.report(i)
	}
}

// mateFound reports whether the mate found ends the search: one within the requested
// limit, or on a clock, one that the depth proves to be the shortest.
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

// info returns the state of the search, with the best line as the line with an index from
// 0.
func (w *worker) info(index int) Info {
	nodes := w.totalNodes.Load()
	elapsed := w.time.Elapsed(nodes)
	return Info{
		Depth:    w.depth,
		SelDepth: max(w.selDepth, w.depth), // the next depth may just have begun
		Score:    Score(w.score),
		Nodes:    nodes,
		NPS:      uint64(float64(nodes) / max(elapsed.Seconds(), 1e-6)),
		Time:     elapsed,
		HashFull: w.table.hashFull(),
		PV:       slices.Clone(w.best.moves[:w.best.n]),
		MultiPV:  w.multiPVIndex(index),
	}
}

// result returns the best move so far, or a fallback if the search found none.
func (w *worker) result() Result {
	if w.best.n == 0 {
		w.fallbackMove()
	}
	var lines []Info
	if w.limits.MultiPV > 1 {
		w.reportLines(func(i Info) { lines = append(lines, i) })
	}
	info := w.info(w.chooseLine())
	return Result{Move: info.PV[0], Info: info, Ponder: w.expectedReply(info.PV), Lines: lines}
}

// expectedReply returns the second move of a line. A line that was interrupted after a fail
// high has only one; then it is the move in the table.
func (w *worker) expectedReply(pv []rules.Move) rules.Move {
	if len(pv) > 1 {
		return pv[1]
	}
	next := w.root.After(pv[0])
	if e, ok := w.table.probe(next.Key()^w.salt, 1); ok && slices.Contains(next.LegalMoves(), e.move) {
		return e.move
	}
	return rules.NoMove
}

// fallbackMove chooses the table's move, or else the one with the best static evaluation.
func (w *worker) fallbackMove() {
	w.best.n = 1
	ttEntry, _ := w.table.probe(w.keys[0]^w.salt, 0)
	if slices.Contains(w.rootMoves, ttEntry.move) {
		w.best.moves[0], w.score = ttEntry.move, ttEntry.score
		return
	}
	w.score = -infinity
	for _, m := range w.rootMoves {
		w.makeMove(0, m)
		if score := -w.evaluate(1); score > w.score {
			w.best.moves[0], w.score = m, score
		}
	}
}
