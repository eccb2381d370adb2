package engine

import "github.com/zhbot/zhbot/rules"

// scoreCaptures scores the listed captures and promotions: the most valuable
// victim first, among equal ones what history prefers.
func (w *worker) scoreCaptures(f *frame) {
	mp, p := &f.picker, &f.pos
	for i, m := range mp.list.Moves() {
		mp.scores[i] = int32(8*captureGain(p, m)) + int32(*w.history.captureAt(p, m))/8
	}
}

// scoreQuiets scores the listed moves from first on by their histories, with
// a bonus for checks. Moves from one square, or of one piece in hand, follow
// each other and share their rows of the tables.
func (w *worker) scoreQuiets(ply, first int) {
	f := &w.stack[ply]
	mp, p := &f.picker, &f.pos
	one, two := w.repliesTo(ply-1), w.repliesTo(ply-2)
	moves := mp.list.Moves()
	scores := mp.scores[:len(moves)]
	for i := first; i < len(moves); {
		group := moves[i] &^ 63
		row := mover(p, group) << 6
		quiet := w.history.quietRow(p.Turn(), group)
		ones, twos := (*[64]int16)(one[row:]), (*[64]int16)(two[row:])
		checks := f.checks.Squares(p.Moved(group))
		for ; i < len(moves) && moves[i]&^63 == group; i++ {
			to := moves[i].To()
			score := int32(quiet[to&63]) + int32(ones[to&63]) + int32(twos[to&63])
			if checks.Has(to) {
				score += checkBonus
			}
			scores[i] = score
		}
	}
}

// scoreEvasions scores all listed moves: captures before quiet moves.
func (w *worker) scoreEvasions(ply int) {
	f := &w.stack[ply]
	mp, p := &f.picker, &f.pos
	one, two := w.repliesTo(ply-1), w.repliesTo(ply-2)
	for i, m := range mp.list.Moves() {
		if noisy(p, m) {
			mp.scores[i] = 1<<20 + int32(8*captureGain(p, m))
		} else {
			mp.scores[i] = w.quietScore(p, m, one, two)
		}
	}
}

// quietScore sums what the histories say about a quiet move.
func (w *worker) quietScore(p *rules.Position, m rules.Move, one, two *replies) int32 {
	s := step(p, m)
	return int32(*w.history.quietAt(p.Turn(), m)) + int32(one[s]) + int32(two[s])
}

// noisy reports whether a move captures or promotes.
func noisy(p *rules.Position, m rules.Move) bool { return m.IsPromotion() || p.IsCapture(m) }

// captureGain returns what a capture or promotion wins if nothing is taken
// back.
func captureGain(p *rules.Position, m rules.Move) (gain int) {
	if victim := p.Captured(m); victim != rules.NoPieceType {
		gain = captureValue(victim, p.Promoted().Has(m.To()))
	}
	if m.IsPromotion() {
		gain += boardValue[m.Promotion()] - boardValue[rules.Pawn]
	}
	return gain
}
