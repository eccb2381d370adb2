package engine

import (
	"cmp"
	"slices"

	"github.com/zhbot/zhbot/rules"
)

// variation is one of the best lines from the root.
type variation struct {
	line  line
	score int
}

// A search for several lines searches the root once for each, the best first,
// each time without the first moves of the lines before: their rank is the
// worker's rank. Between depths w.best and w.score are those of the best line,
// so that whatever needs only one need not know of the others.

// linesWanted returns how many lines the search looks for.
func (s *search) linesWanted() int {
	return min(max(s.shown(), s.limits.Strength.lines()), len(s.moves))
}

// shown returns how many lines the search reports.
func (s *search) shown() int { return min(max(s.limits.MultiPV, 1), len(s.moves)) }

// searchLines searches the root to a depth for every line wanted.
func (w *worker) searchLines(depth, wanted int) {
	if wanted <= 1 {
		w.aspire(depth)
		return
	}
	before := w.lines
	w.lines, w.spare = w.spare[:0], before
	for w.rank = 0; w.rank < wanted && !w.stopped; w.rank++ {
		w.best.n, w.score = 0, 0
		if w.rank < len(before) {
			w.best, w.score = before[w.rank].line, before[w.rank].score
		}
		w.aspire(depth)
		// A first line is of use even when its depth was not finished, as
		// without other lines; a later one would be compared with finished ones.
		if w.best.n > 0 && (!w.stopped || w.rank == 0) {
			w.lines = append(w.lines, variation{w.best, w.score})
		}
	}
	w.rank = 0
	if w.stopped && len(before) > 0 && !w.limits.Strength.full() {
		w.lines, w.spare = before, w.lines // there is a choice only among equals
	} else {
		w.completeLines(before, wanted)
	}
	if len(w.lines) > 0 {
		w.best, w.score = w.lines[0].line, w.lines[0].score
	}
}

// completeLines sorts the lines of a depth and, if it was cut short, adds those
// of the depth before that are missing.
func (w *worker) completeLines(before []variation, wanted int) {
	slices.SortStableFunc(w.lines, func(a, b variation) int { return cmp.Compare(b.score, a.score) })
	for i := 0; i < len(before) && len(w.lines) < wanted; i++ {
		if !w.taken(before[i].line.first(), len(w.lines)) {
			w.lines = append(w.lines, before[i])
		}
	}
}

// taken reports whether a root move begins one of the first so many lines.
func (w *worker) taken(m rules.Move, lines int) bool {
	return slices.ContainsFunc(w.lines[:lines], func(v variation) bool { return v.line.first() == m })
}

// playable reports whether the root may play a move in the line being searched.
func (w *worker) playable(m rules.Move) bool {
	return w.allowed(m) && (w.rank == 0 || !w.taken(m, w.rank))
}

// partial reports whether the root is searched with only some of its moves.
func (w *worker) partial() bool { return w.restricted() || w.rank > 0 }

// chooseLine makes the line that the search's strength would play the best one,
// and returns its rank.
func (w *worker) chooseLine() int {
	if w.limits.Strength.full() || len(w.lines) < 2 {
		return 0
	}
	scores := make([]int, len(w.lines))
	for i, v := range w.lines {
		scores[i] = v.score
	}
	i := w.limits.Strength.choose(w.keys[0], scores)
	w.best, w.score = w.lines[i].line, w.lines[i].score
	return i
}

// tell reports the lines of a finished depth.
func (w *worker) tell(report func(Info)) {
	report(w.info(0))
	shown := min(w.shown(), len(w.lines))
	for i := 1; i < shown; i++ {
		w.best, w.score = w.lines[i].line, w.lines[i].score
		report(w.info(i))
	}
	if shown > 1 {
		w.best, w.score = w.lines[0].line, w.lines[0].score
	}
}

// numbered returns what a report gives as the rank of a line, counted from 0.
func (s *search) numbered(rank int) int {
	if s.limits.MultiPV <= 1 {
		return 0
	}
	return rank + 1
}
