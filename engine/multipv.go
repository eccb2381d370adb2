package engine

import (
	"cmp"
	"slices"

	"github.com/zhbot/zhbot/rules"
)

// variation is a line from the root and its score.
type variation struct {
	line  line
	score int
}

// A search for several lines searches the root once for each, the best first, each time
// without the first moves of the earlier lines; w.pvIndex is the index of the line. Between
// depths w.best and w.score are those of the best line.

// lineCount returns how many lines to search.
func (s *search) lineCount() int {
	return min(max(s.reportedLines(), s.limits.Strength.Lines()), len(s.rootMoves))
}

// reportedLines returns how many lines to report.
func (s *search) reportedLines() int { return min(max(s.limits.MultiPV, 1), len(s.rootMoves)) }

// searchLines searches the root to a depth, for the given number of lines.
func (w *worker) searchLines(depth, count int) {
	if count <= 1 {
		w.aspirationSearch(depth)
		return
	}
	previousLines := w.lines
	w.lines, w.spareLines = w.spareLines[:0], previousLines
	for w.pvIndex = 0; w.pvIndex < count && !w.stopped; w.pvIndex++ {
		w.best.n, w.score = 0, 0
		if w.pvIndex < len(previousLines) {
			w.best, w.score = previousLines[w.pvIndex].line, previousLines[w.pvIndex].score
		}
		w.aspirationSearch(depth)
		// The first line counts even if its depth was interrupted, as in a search for
		// one line. A later one would be compared with completed lines.
		if w.best.n > 0 && (!w.stopped || w.pvIndex == 0) {
			w.lines = append(w.lines, variation{w.best, w.score})
		}
	}
	w.pvIndex = 0
	if w.stopped && len(previousLines) > 0 && !w.limits.Strength.Full() {
		w.lines, w.spareLines = previousLines, w.lines // only scores of the same depth compare
	} else {
		w.completeLines(previousLines, count)
	}
	if len(w.lines) > 0 {
		w.selectLine(0)
	}
}

// selectLine makes a line the best one.
func (w *worker) selectLine(index int) {
	w.best, w.score = w.lines[index].line, w.lines[index].score
}

// completeLines sorts the lines of a depth. If the depth was interrupted, it adds those of
// the previous depth that are missing.
func (w *worker) completeLines(previousLines []variation, count int) {
	slices.SortStableFunc(w.lines, func(a, b variation) int { return cmp.Compare(b.score, a.score) })
	for i := 0; i < len(previousLines) && len(w.lines) < count; i++ {
		if !w.startsLine(previousLines[i].line.first(), len(w.lines)) {
			w.lines = append(w.lines, previousLines[i])
		}
	}
}

// startsLine reports whether a root move starts one of the first lines.
func (w *worker) startsLine(m rules.Move, count int) bool {
	return slices.ContainsFunc(w.lines[:count], func(v variation) bool { return v.line.first() == m })
}

// isRootMove reports whether a move may start the line being searched.
func (w *worker) isRootMove(m rules.Move) bool {
	return !w.rootRestricted() || slices.Contains(w.rootMoves, m) && !w.startsLine(m, w.pvIndex)
}

// rootRestricted reports whether the search of the root omits some moves.
func (w *worker) rootRestricted() bool { return len(w.limits.SearchMoves) > 0 || w.pvIndex > 0 }

// reportLines reports the lines of a finished depth.
func (w *worker) reportLines(report func(Info)) {
	report(w.info(0))
	count := min(w.reportedLines(), len(w.lines))
	for i := 1; i < count; i++ {
		w.selectLine(i)
		report(w.info(i))
	}
	if count > 1 {
		w.selectLine(0)
	}
}

// multiPVIndex returns Info.MultiPV for the line with an index from 0.
func (s *search) multiPVIndex(index int) int {
	if s.limits.MultiPV <= 1 {
		return 0
	}
	return index + 1
}
