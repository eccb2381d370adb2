package engine

import "github.com/zhbot/zhbot/rules"

// corrections are what a worker has learned of how far searches come out from
// the static evaluation, by what positions have in common: their pawns and
// pockets, and the move that led to them. Values are in parts of a centipawn,
// of the side to move.
type corrections struct {
	structure [2][1 << correctionBits]int16
	reply     [2][steps]int16
}

// structureKey hashes the pawns and the pockets of a position.
func structureKey(p *rules.Position) uint64 {
	h := uint64(p.Pieces(rules.White, rules.Pawn)) * 0x9e3779b97f4a7c15
	h = (h ^ h>>29 ^ uint64(p.Pieces(rules.Black, rules.Pawn))) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>32 ^ uint64(p.Pocket(rules.White))) * 0x94d049bb133111eb
	h = (h ^ h>>31 ^ uint64(p.Pocket(rules.Black))) * 0x9e3779b97f4a7c15
	return h >> (64 - correctionBits)
}

// correctionsAt returns the two corrections of the position at a ply; after a
// null move the second is always zero.
func (w *worker) correctionsAt(ply int) (structure, reply *int16) {
	p, c := &w.stack[ply].pos, &w.history.corrections
	us := p.Turn() & 1
	structure = &c.structure[us][structureKey(p)]
	if w.madeMove(ply - 1) {
		return structure, &c.reply[us][w.stack[ply-1].step]
	}
	w.noReply = 0
	return structure, &w.noReply
}

// correct returns a static evaluation at a ply, moved by what was learned.
func (w *worker) correct(ply, static int) int {
	if static == noScore {
		return noScore
	}
	structure, reply := w.correctionsAt(ply)
	corrected := static + (int(*structure)+int(*reply))/correctionUnit
	return min(max(corrected, -mateBound+1), mateBound-1)
}

// learnCorrection notes how far a search came out from the static evaluation
// at a ply; a bound only counts where it contradicts it.
func (w *worker) learnCorrection(ply, depth, score int, b bound) {
	eval := w.stack[ply].eval
	if eval == noScore || abs(score) >= mateBound ||
		b == lowerBound && score <= eval || b == upperBound && score >= eval {
		return
	}
	bonus := min(max((score-eval)*depth, -correctionStep), correctionStep)
	structure, reply := w.correctionsAt(ply)
	learnWithin(structure, bonus, correctionMax)
	learnWithin(reply, bonus, correctionMax)
}
