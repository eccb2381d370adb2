package engine

import "github.com/zhbot/zhbot/rules"

// correctionHistory is a worker's record of how far search scores differ from static
// evaluations, by what positions have in common, and by the side to move. Values are in
// 1/correctionUnit of a centipawn, for the side to move.
type correctionHistory struct {
	structure     [2][1 << correctionBits]int16
	pieces        [2][2][1 << correctionBits]int16 // by the side that has them
	continuations [2][2][pieceToCount]int16        // by the last move, and by the one before
}

// structureKey hashes the pawns and pockets of a position.
func structureKey(p *rules.Position) uint64 {
	h := uint64(p.Pieces(rules.White, rules.Pawn)) * 0x9e3779b97f4a7c15
	h = (h ^ h>>29 ^ uint64(p.Pieces(rules.Black, rules.Pawn))) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>32 ^ uint64(p.Pocket(rules.White))) * 0x94d049bb133111eb
	h = (h ^ h>>31 ^ uint64(p.Pocket(rules.Black))) * 0x9e3779b97f4a7c15
	return h >> (64 - correctionBits)
}

// piecesKey hashes the pieces of a side, other than pawns.
func piecesKey(p *rules.Position, c rules.Color) uint64 {
	h := uint64(p.Pieces(c, rules.Knight))*0x9e3779b97f4a7c15 ^ uint64(p.Pieces(c, rules.Bishop))*0xbf58476d1ce4e5b9
	h ^= uint64(p.Pieces(c, rules.Rook))*0x94d049bb133111eb ^ uint64(p.Pieces(c, rules.Queen))*0xd6e8feb86659fd93
	h ^= uint64(p.Pieces(c, rules.King)) * 0xa0761d6478bd642f
	return h >> (64 - correctionBits)
}

// corrections are the values that the history has for a position.
type corrections [5]*int16

// correctionsAt returns those for the position at a ply. What comes from moves that were not
// made is zero.
func (w *worker) correctionsAt(ply int) corrections {
	p, h := &w.stack[ply].pos, &w.history.corrections
	us := p.Turn() & 1
	c := corrections{
		&h.structure[us][structureKey(p)],
		&h.pieces[us][0][piecesKey(p, rules.White)], &h.pieces[us][1][piecesKey(p, rules.Black)],
		&w.zeroCorrection, &w.zeroCorrection,
	}
	w.zeroCorrection = 0
	for back := 1; back <= 2 && w.madeMove(ply-back); back++ {
		c[2+back] = &h.continuations[us][back-1][w.stack[ply-back].pieceTo]
	}
	return c
}

// correction returns what the history adds to the static evaluation at a ply.
func (w *worker) correction(ply int) (sum int) {
	for _, value := range w.correctionsAt(ply) {
		sum += int(*value)
	}
	return sum / correctionUnit
}

// updateCorrectionHistory adds the difference between a search score and the static
// evaluation at a ply. A bound counts only if the evaluation lies outside it.
func (w *worker) updateCorrectionHistory(ply, depth, score int, b bound) {
	eval := w.stack[ply].eval
	if eval == noScore || abs(score) >= mateBound ||
		b == lowerBound && score <= eval || b == upperBound && score >= eval {
		return
	}
	bonus := min(max((score-eval)*depth*5/4, -maxCorrectionUpdate), maxCorrectionUpdate)
	for _, value := range w.correctionsAt(ply) {
		updateWithin(value, bonus, maxCorrection)
	}
}
