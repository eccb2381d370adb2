package engine

import "github.com/zhbot/zhbot/rules"

// correctionHistory is a worker's record of how far search scores differ from static
// evaluations, by what positions have in common: their pawns and pockets, and the last
// move. Values are in 1/correctionUnit of a centipawn, for the side to move.
type correctionHistory struct {
	structure    [2][1 << correctionBits]int16
	continuation [2][pieceToCount]int16
}

// structureKey hashes the pawns and pockets of a position.
func structureKey(p *rules.Position) uint64 {
	h := uint64(p.Pieces(rules.White, rules.Pawn)) * 0x9e3779b97f4a7c15
	h = (h ^ h>>29 ^ uint64(p.Pieces(rules.Black, rules.Pawn))) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>32 ^ uint64(p.Pocket(rules.White))) * 0x94d049bb133111eb
	h = (h ^ h>>31 ^ uint64(p.Pocket(rules.Black))) * 0x9e3779b97f4a7c15
	return h >> (64 - correctionBits)
}

// correctionEntries returns the two corrections for the position at a ply. After a null
// move the second is zero.
func (w *worker) correctionEntries(ply int) (structure, continuation *int16) {
	p, c := &w.stack[ply].pos, &w.history.corrections
	us := p.Turn() & 1
	structure = &c.structure[us][structureKey(p)]
	if w.madeMove(ply - 1) {
		return structure, &c.continuation[us][w.stack[ply-1].pieceTo]
	}
	w.zeroCorrection = 0
	return structure, &w.zeroCorrection
}

// correction returns what the history adds to the static evaluation at a ply.
func (w *worker) correction(ply int) int {
	structure, continuation := w.correctionEntries(ply)
	return (int(*structure) + int(*continuation)) / correctionUnit
}

// updateCorrectionHistory adds the difference between a search score and the static
// evaluation at a ply. A bound counts only if the evaluation lies outside it.
func (w *worker) updateCorrectionHistory(ply, depth, score int, b bound) {
	eval := w.stack[ply].eval
	if eval == noScore || abs(score) >= mateBound ||
		b == lowerBound && score <= eval || b == upperBound && score >= eval {
		return
	}
	bonus := min(max((score-eval)*depth, -maxCorrectionUpdate), maxCorrectionUpdate)
	structure, continuation := w.correctionEntries(ply)
	updateWithin(structure, bonus, maxCorrection)
	updateWithin(continuation, bonus, maxCorrection)
}
