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
	before := w.continuations(ply)
	moves := mp.list.Moves()
	scores := mp.scores[:len(moves)]
	for i := first; i < len(moves); {
		group := moves[i] &^ 63
		quiet, replies := w.history.quietRow(p.Turn(), group), before.row(mover(p, group))
		checks := f.checks.Squares(p.Moved(group))
		for ; i < len(moves) && moves[i]&^63 == group; i++ {
			to := moves[i].To()
			score := int32(quiet[to&63]) + replies.at(to)
			if checks.Has(to) {
				score += int32(checkBonus)
			}
			scores[i] = score
		}
	}
}

// scoreEvasions scores all listed moves: captures before quiet moves.
func (w *worker) scoreEvasions(ply int) {
	f := &w.stack[ply]
	mp, p := &f.picker, &f.pos
	before := w.continuations(ply)
	for i, m := range mp.list.Moves() {
		if noisy(p, m) {
			mp.scores[i] = 1<<20 + int32(8*captureGain(p, m))
		} else {
			mp.scores[i] = w.quietScore(p, m, &before)
		}
	}
}

// quietScore sums what the histories say about a quiet move.
func (w *worker) quietScore(p *rules.Position, m rules.Move, before *continuations) int32 {
	return int32(*w.history.quietAt(p.Turn(), m)) + before.at(step(p, m))
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
