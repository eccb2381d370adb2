package engine

import "github.com/zhbot/zhbot/rules"

// Movers are what a quiet move moves: six pieces on the board and five in
// hand. A dropped knight and a moved one are different ideas.
const movers = 11

// mover returns what a move moves, from 0.
func mover(p *rules.Position, m rules.Move) int {
	if m.IsDrop() {
		return int(rules.King) + int(m.Dropped()) - 1
	}
	return int(p.Moved(m)) - 1
}

// A step is a mover and the square it goes to.
const steps = movers * 64

func step(p *rules.Position, m rules.Move) int { return mover(p, m)<<6 | int(m.To()) }

// replies are the history values of the moves that may follow one step.
type replies [steps]int16

// followed are how many plies back the moves are whose replies are learned.
var followed = [...]int{1, 2, 4, 6}

// continuations are the replies to each of the moves followed.
type continuations [len(followed)]*replies

// continuations returns the replies to the moves that led to a ply.
func (w *worker) continuations(ply int) (c continuations) {
	for i, back := range followed {
		c[i] = w.repliesTo(ply - back)
	}
	return c
}

// at returns what they sum to for a step. Older moves say half as much.
func (c *continuations) at(step int) int32 {
	return int32(c[0][step]) + int32(c[1][step]) + (int32(c[2][step])+int32(c[3][step]))/2
}

// row returns the values of the steps of one mover, by target.
func (c *continuations) row(mover int) continuationRow {
	first := mover << 6
	return continuationRow{
		(*[64]int16)(c[0][first:]), (*[64]int16)(c[1][first:]),
		(*[64]int16)(c[2][first:]), (*[64]int16)(c[3][first:]),
	}
}

type continuationRow [len(followed)]*[64]int16

// at returns the sum for a target as [continuations.at] does.
func (r *continuationRow) at(to rules.Square) int32 {
	to &= 63
	return int32(r[0][to]) + int32(r[1][to]) + (int32(r[2][to])+int32(r[3][to]))/2
}

// history is what a worker has learned about moves from the cutoffs they
// made. It outlives a search when the next one is of the same game.
type history struct {
	// quiet is indexed by colour, origin and target; drops have an origin
	// for each type behind the squares.
	quiet [2][64 + 5][64]int16
	// capture is indexed by mover, target and captured type.
	capture [rules.King + 1][64][rules.King + 1]int16
	// continuation holds the replies to each step, some plies back.
	continuation [steps]replies
	// counter is the last move that refuted a step of a colour.
	counter     [2][steps]rules.Move
	corrections corrections
}

// origin returns the row of a quiet move in the butterfly table.
func origin(m rules.Move) int {
	if m.IsDrop() {
		return 64 + int(m.Dropped()) - 1
	}
	return int(m.From())
}

// quietAt returns the butterfly value of a quiet move.
func (h *history) quietAt(c rules.Color, m rules.Move) *int16 {
	return &h.quietRow(c, m)[m.To()&63]
}

// quietRow returns the butterfly values of the quiet moves with the origin of
// a move, by target.
func (h *history) quietRow(c rules.Color, m rules.Move) *[64]int16 {
	return &h.quiet[c&1][origin(m)]
}

// captureAt returns the value of a capture or promotion.
func (h *history) captureAt(p *rules.Position, m rules.Move) *int16 {
	return &h.capture[p.Moved(m)][m.To()&63][p.Captured(m)]
}

// learn moves a history value towards the bonus's sign.
func learn(value *int16, bonus int) { learnWithin(value, bonus, historyMax) }

// learnWithin moves a value towards the bonus's sign; the nearer to most, the
// slower.
func learnWithin(value *int16, bonus, most int) {
	*value += int16(bonus - int(*value)*abs(bonus)/most)
}

// learnCutoff credits the move that cut off the node at ply and debits those
// tried before it.
func (w *worker) learnCutoff(ply, depth int, m rules.Move) {
	f := &w.stack[ply]
	bonus, malus := historyBonus(depth), historyMalus(depth)
	if noisy(&f.pos, m) {
		learn(w.history.captureAt(&f.pos, m), bonus)
	} else {
		w.learnQuiet(ply, m, bonus)
		w.learnRefutation(ply, m)
		for _, q := range f.quiets.all() {
			w.learnQuiet(ply, q, -malus)
		}
	}
	for _, c := range f.captures.all() {
		learn(w.history.captureAt(&f.pos, c), -malus)
	}
}

// learnFailLow credits the quiet move that led to the node at ply, which no
// move could answer.
func (w *worker) learnFailLow(ply, depth int) {
	if !w.madeMove(ply - 1) {
		return
	}
	if before := &w.stack[ply-1]; !noisy(&before.pos, before.move) {
		w.learnQuiet(ply-1, before.move, historyBonus(depth)/2)
	}
}

// learnQuiet updates all histories of a quiet move at ply.
func (w *worker) learnQuiet(ply int, m rules.Move, bonus int) {
	p := &w.stack[ply].pos
	learn(w.history.quietAt(p.Turn(), m), bonus)
	s := step(p, m)
	for _, back := range followed {
		if w.madeMove(ply - back) {
			learn(&w.repliesTo(ply - back)[s], bonus)
		}
	}
}

// learnRefutation makes a quiet move a killer of its ply and the counter move
// to the move before.
func (w *worker) learnRefutation(ply int, m rules.Move) {
	f := &w.stack[ply]
	if f.killers[0] != m {
		f.killers = [2]rules.Move{m, f.killers[0]}
	}
	if w.madeMove(ply - 1) {
		w.history.counter[f.pos.Turn()][w.stack[ply-1].step] = m
	}
}

// refutations returns the killers of a ply and the counter move to the move
// before.
func (w *worker) refutations(ply int) [3]rules.Move {
	f := &w.stack[ply]
	r := [3]rules.Move{f.killers[0], f.killers[1]}
	if w.madeMove(ply - 1) {
		r[2] = w.history.counter[f.pos.Turn()][w.stack[ply-1].step]
	}
	return r
}
