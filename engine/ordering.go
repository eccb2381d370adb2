package engine

import "github.com/zhbot/zhbot/rules"

// scoreCaptures scores the listed captures and promotions by the material gained, then by
// history.
func (w *worker) scoreCaptures(f *frame) {
	mp, p := &f.picker, &f.pos
	for i, m := range mp.list.Moves() {
		mp.scores[i] = int32(8*captureGain(p, m)) + int32(*w.history.captureAt(p, m))/8
	}
}

// scoreQuiets scores the listed moves from first on by their prior and their histories.
// Consecutive moves of one piece, or drops of one type, share both.
func (w *worker) scoreQuiets(ply, first int) {
	f := &w.stack[ply]
	mp := &f.picker
	prior, continuations, threatened := newQuietPrior(f, &w.params), w.continuationTables(ply), f.threatened()
	moves := mp.list.Moves()
	scores := mp.scores[:len(moves)]
	for i := first; i < len(moves); {
		group := moves[i] &^ 63
		prior.selectGroup(group)
		quiet, continuationRow := w.history.quietRow(f, group), continuations.row(prior.kind)
		for ; i < len(moves) && moves[i]&^63 == group; i++ {
			to := moves[i].To()
			scores[i] = prior.score(to) + int32(*quiet.at(to, threatened)) + continuationRow.sum(to)
		}
	}
}

// scoreEvasions scores all listed moves: captures before quiet moves.
func (w *worker) scoreEvasions(ply int) {
	f := &w.stack[ply]
	mp, p := &f.picker, &f.pos
	continuations := w.continuationTables(ply)
	for i, m := range mp.list.Moves() {
		if noisy(p, m) {
			mp.scores[i] = 1<<20 + int32(8*captureGain(p, m))
		} else {
			safeties := findSafeties(f, m)
			mp.scores[i] = evasionWeights[safeties.at(m.To())] + w.quietScore(f, m, pieceTo(p, m), &continuations)
		}
	}
}

// quietScore returns the sum of a quiet move's histories.
func (w *worker) quietScore(f *frame, m rules.Move, pieceTo int, continuations *continuationTables) int32 {
	return int32(*w.history.quietAt(f, m)) + continuations.sum(pieceTo)
}

// noisy reports whether a move is a capture or a promotion.
func noisy(p *rules.Position, m rules.Move) bool { return m.IsPromotion() || p.IsCapture(m) }

// captureGain returns the material that a capture or promotion wins, without recaptures.
func captureGain(p *rules.Position, m rules.Move) (gain int) {
	if victim := p.Captured(m); victim != rules.NoPieceType {
		gain = captureValue(victim, p.Promoted().Has(m.To()))
	}
	if m.IsPromotion() {
		gain += boardValue[m.Promotion()] - boardValue[rules.Pawn]
	}
	return gain
}
