package engine

import "github.com/zhbot/zhbot/rules"

// pieceKinds is the number of kinds of quiet moves: six piece types on the board and five
// in hand. A dropped knight and a moved one have different statistics.
const pieceKinds = 11

// pieceKind returns the kind of the piece that a move moves, from 0.
func pieceKind(p *rules.Position, m rules.Move) int {
	if m.IsDrop() {
		return int(rules.King) + int(m.Dropped()) - 1
	}
	return int(p.Moved(m)) - 1
}

// pieceToCount is the number of pairs of a piece kind and a target square.
const pieceToCount = pieceKinds * 64

// pieceTo returns the index of a move's piece kind and target square.
func pieceTo(p *rules.Position, m rules.Move) int { return pieceKind(p, m)<<6 | int(m.To()) }

// continuationTable holds the history of moves that follow one particular move, by
// [pieceTo].
type continuationTable [pieceToCount]int16

// continuationPlies are the distances in plies of the earlier moves whose continuations
// are recorded.
var continuationPlies = [...]int{1, 2, 4, 6}

// continuationTables holds one table for each of continuationPlies.
type continuationTables [len(continuationPlies)]*continuationTable

// continuationTables returns the tables for the moves that led to a ply.
func (w *worker) continuationTables(ply int) (c continuationTables) {
	for i, back := range continuationPlies {
		c[i] = w.continuationTable(ply - back)
	}
	return c
}

// sum adds up the values of a move.
func (c *continuationTables) sum(pieceTo int) int32 {
	return weigh(c[0][pieceTo], c[1][pieceTo], c[2][pieceTo], c[3][pieceTo])
}

// weigh adds up values for continuationPlies: the older the earlier move, the less its weight.
func weigh(last, second, fourth, sixth int16) int32 {
	return (5*int32(last) + 4*int32(second) + 2*(int32(fourth)+int32(sixth))) / 4
}

// row returns the values of one piece kind, by target square.
func (c *continuationTables) row(kind int) continuationRow {
	first := kind << 6
	return continuationRow{
		(*[64]int16)(c[0][first:]), (*[64]int16)(c[1][first:]),
		(*[64]int16)(c[2][first:]), (*[64]int16)(c[3][first:]),
	}
}

type continuationRow [len(continuationPlies)]*[64]int16

// sum returns what [continuationTables.sum] does, for a target square.
func (r *continuationRow) sum(to rules.Square) int32 {
	to &= 63
	return weigh(r[0][to], r[1][to], r[2][to], r[3][to])
}

// history is what a worker has learned about moves from cutoffs. It is kept for the next
// search of the same game.
type history struct {
	// quiet (the butterfly history) is indexed by colour, whether the opponent attacks the
	// origin, and origin. The origins of drops, by type, follow the squares.
	quiet [2][2][64 + 5]quietRow
	// capture is indexed by moved type, target and captured type.
	capture [rules.King + 1][64][rules.King + 1]int16
	// continuation is indexed by the earlier move.
	continuation [pieceToCount]continuationTable
	// counterMoves holds the last move that refuted a move, by colour.
	counterMoves [2][pieceToCount]rules.Move
	corrections  correctionHistory
}

// quietRow is the butterfly history of quiet moves with one origin, by whether the opponent
// attacks the target, and by target.
type quietRow [2][64]int16

// at returns the value for a target. The opponent attacks the given squares.
func (r *quietRow) at(to rules.Square, attacked rules.Bitboard) *int16 {
	to &= 63
	return &r[attacked>>to&1][to]
}

// quietRow returns the butterfly history of the quiet moves at a node with the same origin.
func (h *history) quietRow(f *frame, m rules.Move) *quietRow {
	origins := &h.quiet[f.pos.Turn()&1]
	if m.IsDrop() {
		return &origins[0][64+int(m.Dropped())-1]
	}
	from := m.From() & 63
	return &origins[f.threatened()>>from&1][from]
}

// quietAt returns the butterfly history of a quiet move at a node.
func (h *history) quietAt(f *frame, m rules.Move) *int16 {
	return h.quietRow(f, m).at(m.To(), f.threatened())
}

// captureAt returns the history of a capture or promotion.
func (h *history) captureAt(p *rules.Position, m rules.Move) *int16 {
	return &h.capture[p.Moved(m)][m.To()&63][p.Captured(m)]
}

// historyBonus is the reward of a move that causes a cutoff at a depth.
func (p *Parameters) historyBonus(depth int) int {
	return min(p.BonusSquare*depth*depth+p.BonusLinear*depth, p.MaxBonus)
}

// historyMalus is the penalty of the moves tried before it.
func (p *Parameters) historyMalus(depth int) int {
	return min(p.MalusSquare*depth*depth+p.MalusLinear*depth, p.MaxMalus)
}

// updateHistory moves a history value towards the sign of the bonus.
func updateHistory(value *int16, bonus int) { updateWithin(value, bonus, maxHistory) }

// updateWithin adds a bonus to a value, the less the nearer it is to the limit.
func updateWithin(value *int16, bonus, limit int) {
	*value += int16(bonus - int(*value)*abs(bonus)/limit)
}

// updateBest rewards the best move at ply, which raised alpha, and penalises the others that
// were tried.
func (w *worker) updateBest(ply, depth int, m rules.Move) {
	f := &w.stack[ply]
	bonus, malus := w.params.historyBonus(depth), w.params.historyMalus(depth)
	if noisy(&f.pos, m) {
		updateHistory(w.history.captureAt(&f.pos, m), bonus)
	} else {
		w.updateQuiet(ply, m, bonus)
		w.updateRefutations(ply, m)
		for _, q := range f.quiets.all() {
			if q != m {
				w.updateQuiet(ply, q, -malus)
			}
		}
	}
	for _, c := range f.captures.all() {
		if c != m {
			updateHistory(w.history.captureAt(&f.pos, c), -malus)
		}
	}
}

// updateFailLow rewards the quiet move that led to the node at ply, which failed low.
func (w *worker) updateFailLow(ply, depth int) {
	if !w.madeMove(ply - 1) {
		return
	}
	if before := &w.stack[ply-1]; !noisy(&before.pos, before.move) {
		w.updateQuiet(ply-1, before.move, w.params.historyBonus(depth)/2)
	}
}

// updateQuiet updates all histories of a quiet move at ply.
func (w *worker) updateQuiet(ply int, m rules.Move, bonus int) {
	f := &w.stack[ply]
	updateHistory(w.history.quietAt(f, m), bonus)
	s := pieceTo(&f.pos, m)
	for _, back := range continuationPlies {
		if w.madeMove(ply - back) {
			updateHistory(&w.continuationTable(ply - back)[s], bonus)
		}
	}
}

// updateRefutations makes a quiet move a killer of its ply and the counter move to the
// previous move.
func (w *worker) updateRefutations(ply int, m rules.Move) {
	f := &w.stack[ply]
	if f.killers[0] != m {
		f.killers = [2]rules.Move{m, f.killers[0]}
	}
	if w.madeMove(ply - 1) {
		w.history.counterMoves[f.pos.Turn()][w.stack[ply-1].pieceTo] = m
	}
}

// refutations returns the killers of a ply and the counter move to the previous move.
func (w *worker) refutations(ply int) [3]rules.Move {
	f := &w.stack[ply]
	r := [3]rules.Move{f.killers[0], f.killers[1]}
	if w.madeMove(ply - 1) {
		r[2] = w.history.counterMoves[f.pos.Turn()][w.stack[ply-1].pieceTo]
	}
	return r
}
