package engine

import (
	"slices"

	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/rules"
)

// Below full strength, a search leaves out the root moves that its [human.Strength] does not
// see, ends earlier, and plays the root move that the strength chooses.

// omitUnseen leaves out the root moves that the search's strength does not see.
func (s *search) omitUnseen() {
	if seen := s.limits.Strength.SeenMoves(&s.root, s.rootMoves); len(seen) < len(s.rootMoves) {
		s.rootMoves, s.limits.SearchMoves = seen, seen
	}
}

// nodeLimit returns the maximum nodes of the search, 0 for no limit. A level's limit
// applies from the second ply on.
func (w *worker) nodeLimit() uint64 {
	limit, level := w.limits.Nodes, w.limits.Strength.NodeLimit()
	if clock := w.time.nodeLimit(); limit == 0 || clock > 0 && clock < limit {
		limit = clock
	}
	if level == 0 || w.rootDepth <= 1 || limit > 0 && limit < level {
		return limit
	}
	return level
}

// chooseLine makes the line that the search's strength chooses the best one, and returns
// its index, 0 if none of the lines is chosen.
func (w *worker) chooseLine() int {
	s := w.limits.Strength
	if s.Full() || len(w.lines) < 2 {
		return 0
	}
	if w.score < mateBound && s.UsesStaticEval(w.keys[0]) {
		w.chooseByStaticEval()
		return 0
	}
	list := make([]human.Candidate, len(w.lines))
	for index, v := range w.lines {
		list[index].Score = v.score
		if index > 0 && s.Overlooks() {
			next := w.root.After(v.line.first())
			list[index].Hanging = hanging(&next)
		}
	}
	index := w.choose(list)
	w.selectLine(index)
	return index
}

// choose returns the index of the candidate that the search's strength chooses: the best one
// if a mate was found, for or against us.
func (w *worker) choose(list []human.Candidate) int {
	if abs(list[0].Score) >= mateBound {
		return 0
	}
	return w.limits.Strength.Choose(w.keys[0], list)
}

// chooseByStaticEval makes a move the best line as the level judges it without a search: by the
// static evaluation of the position after it, less what then hangs.
func (w *worker) chooseByStaticEval() {
	type judgedMove struct {
		human.Candidate
		move rules.Move
	}
	var list []judgedMove
	for _, m := range w.rootMoves {
		w.makeMove(0, m)
		loss := hanging(&w.stack[1].pos)
		list = append(list, judgedMove{human.Candidate{Score: -w.evaluate(1) - loss, Hanging: loss}, m})
	}
	slices.SortStableFunc(list, func(a, b judgedMove) int { return b.Score - a.Score })
	candidates := make([]human.Candidate, len(list))
	for i, m := range list {
		candidates[i] = m.Candidate
	}
	chosen := list[w.choose(candidates)]
	w.best.n, w.best.moves[0], w.score = 1, chosen.move, chosen.Score
}

// hanging returns the most that the side to move wins by exchanges on one square.
func hanging(p *rules.Position) (most int) {
	for _, m := range p.LegalMoves() {
		if !p.IsCapture(m) || !seeAtLeast(p, m, most+1) {
			continue
		}
		low, high := most+1, captureGain(p, m) // what it wins is between these
		for low < high {
			if middle := (low + high + 1) / 2; seeAtLeast(p, m, middle) {
				low = middle
			} else {
				high = middle - 1
			}
		}
		most = low
	}
	return most
}
