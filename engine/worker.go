package engine

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/rules"
)

// worker is the state of one search thread. Workers are reused, so that searching does not
// allocate.
type worker struct {
	*search
	claim  *claim
	params Parameters // a copy of the search's, since they are read at each node

	stack            [maxPly + 2]frame
	keys             [maxPly + 2]uint64 // the positions on the stack
	salt             uint64             // of keys in the table; see human.Strength.Salt
	history          history
	gameKey          uint64 // of a late position of the last game, to recognise it
	zeroContinuation continuationTable
	zeroCorrection   int16 // a correction by a move that was not made
	evaluator        *nnue.Evaluator

	nodes          uint64
	flushedNodes   uint64 // nodes already added to search.totalNodes
	nextPoll       uint64 // node count of the next poll
	rootDepth      int    // depth being searched
	depth          int    // last completed depth
	selDepth       int
	nullMoveMinPly int        // no null moves before this ply
	stopped        bool       // the search is over: return without using any score
	best           line       // the best line so far
	score          int        // its score
	bestNodes      uint64     // nodes that searched its first move
	effort         int        // the same in percent of the nodes of the last search of the root
	report         func(Info) // gets bounds; nil for nobody

	lines      []variation // the best lines, if there are several
	spareLines []variation // memory for those of the next depth
	pvIndex    int         // index of the line being searched
}

func newWorker(n *nnue.Network) *worker {
	return &worker{evaluator: nnue.NewEvaluator(n, maxPly+1)}
}

// frame is the state of one ply of the line being searched.
type frame struct {
	pos       rules.Position
	move      rules.Move // the move being searched, NoMove for a null move
	pieceTo   int        // its index in the histories
	eval      int        // by findEval: static evaluation, corrected; noScore in check
	evaluated bool       // eval is that of pos
	// correction is the part of eval that comes from the history.
	correction int
	reduction  int // of the move being searched, in plies
	// sinceNull is the number of plies since a null move or the root.
	sinceNull int
	excluded  rules.Move // the move that a singular search excludes
	killers   [2]rules.Move
	cutoffs   int // at this ply since the grandparent was entered
	checks    rules.Checks
	attacks   nnue.Attacks // by findAttacks
	attacked  bool         // attacks are those of pos
	quiets    moveBuffer   // quiet moves tried without a cutoff
	captures  moveBuffer   // captures tried without a cutoff
	pv        line
	picker    movePicker
}

// findAttacks finds the squares that both sides attack.
func (f *frame) findAttacks() {
	if !f.attacked {
		f.attacks.Find(&f.pos)
		f.attacked = true
	}
}

// threatened returns the squares that the opponent attacks.
func (f *frame) threatened() rules.Bitboard { return f.attacks[f.pos.Turn()&1^1].All }

// line is a principal variation.
type line struct {
	moves [maxPly]rules.Move
	n     int
}

// set makes the line a move followed by another line.
func (l *line) set(m rules.Move, rest *line) {
	l.moves[0] = m
	l.n = 1 + copy(l.moves[1:], rest.moves[:rest.n])
}

// first returns the line's first move, NoMove if it is empty.
func (l *line) first() rules.Move {
	if l.n == 0 {
		return rules.NoMove
	}
	return l.moves[0]
}

// moveBuffer is a short list of moves; moves beyond its capacity are dropped.
type moveBuffer struct {
	moves [48]rules.Move
	n     int
}

func (b *moveBuffer) add(m rules.Move) {
	if b.n < len(b.moves) {
		b.moves[b.n] = m
		b.n++
	}
}

func (b *moveBuffer) all() []rules.Move { return b.moves[:b.n] }

// search is the state of one call of [Engine.Search], shared by its workers.
type search struct {
	params    *Parameters
	table     *transpositionTable
	network   *nnue.Network
	sched     *scheduler
	limits    Limits
	root      rules.Position
	rootMoves []rules.Move // legal root moves that the limits allow
	// repeatedKeys are the keys of positions that have occurred twice in the game: a third
	// time is a draw.
	repeatedKeys []uint64
	time         MoveTimer

	quit       <-chan struct{} // closed when the search must end
	stop       atomic.Bool     // set when quit is closed, since it is cheaper to read
	totalNodes atomic.Uint64   // nodes of all workers, updated at polls
	deepest    deepest         // what the helpers have found

	panicked atomic.Pointer[PanicError] // the first panic, if any
}

// start prepares the worker for a search.
func (w *worker) start(s *search, c *claim) {
	w.search, w.claim, w.params = s, c, *s.params
	w.nodes, w.flushedNodes, w.nextPoll = 0, 0, 0
	w.nullMoveMinPly, w.stopped, w.report = 0, false, nil
	w.best.n, w.score, w.effort, w.depth, w.selDepth, w.rootDepth = 0, 0, 0, 0, 0, 0
	w.lines, w.pvIndex = w.lines[:0], 0
	for i := range w.stack {
		w.stack[i].killers = [2]rules.Move{}
		w.stack[i].cutoffs = 0
		w.stack[i].excluded = rules.NoMove
	}
	w.stack[0].pos, w.stack[0].attacked, w.stack[0].evaluated = s.root, false, false
	w.keys[0], w.salt = s.root.Key(), s.limits.Strength.Salt()
	w.evaluator.Enter(0)
}

// visit reports whether the search must stop, and otherwise counts a node.
func (w *worker) visit() (over bool) {
	if w.nodes >= w.nextPoll {
		w.poll()
	}
	if w.stop.Load() {
		w.stopped = true
	}
	if !w.stopped {
		w.nodes++
	}
	return w.stopped
}

// poll checks the limits, and yields the thread if it is another worker's turn.
func (w *worker) poll() {
	w.flushNodes()
	w.nextPoll = w.nodes + pollNodes
	if limit := w.nodeLimit(); limit > 0 {
		w.stopped = w.stopped || w.nodes >= limit
		w.nextPoll = min(w.nextPoll, limit)
	}
	now := time.Now()
	if w.time.expired(now) {
		w.stopped = true
	}
	if !w.stopped && w.sched.shouldYield(w.claim, now) {
		w.stopped = !w.sched.yield(w.claim, w.quit)
	}
}

// flushNodes adds the worker's nodes to those of the search.
func (w *worker) flushNodes() {
	w.totalNodes.Add(w.nodes - w.flushedNodes)
	w.flushedNodes = w.nodes
}

// continuationTable returns the continuation history of the move made at a ply, all zero
// if there is none.
func (w *worker) continuationTable(ply int) *continuationTable {
	if ply < 0 || w.stack[ply].move == rules.NoMove {
		return &w.zeroContinuation
	}
	return &w.history.continuation[w.stack[ply].pieceTo]
}

// makeMove makes a move at a ply.
func (w *worker) makeMove(ply int, m rules.Move) {
	f, next := &w.stack[ply], &w.stack[ply+1]
	f.move, f.pieceTo = m, pieceTo(&f.pos, m)
	f.pos.PlayInto(m, &next.pos)
	next.attacked, next.evaluated = false, false
	w.keys[ply+1] = next.pos.Key()
	w.table.prefetch(w.keys[ply+1] ^ w.salt)
	w.evaluator.Enter(ply + 1)
	next.sinceNull = f.sinceNull + 1
}

// makeNullMove makes a null move at a ply.
func (w *worker) makeNullMove(ply int) {
	f, next := &w.stack[ply], &w.stack[ply+1]
	f.move = rules.NoMove
	f.pos.PlayNullInto(&next.pos)
	next.attacked, next.evaluated = false, false
	w.keys[ply+1] = next.pos.Key()
	w.table.prefetch(w.keys[ply+1] ^ w.salt)
	w.evaluator.Enter(ply + 1)
	next.sinceNull = 0
}

// isRepetition reports whether the position at a ply is a draw by repetition: the second
// occurrence on the line being searched, or the third in the game. Drops can undo captures
// and pawn moves, so only a null move ends the look back.
func (w *worker) isRepetition(ply int) bool {
	key := w.keys[ply]
	for i := 4; i <= w.stack[ply].sinceNull; i += 2 {
		if w.keys[ply-i] == key {
			return true
		}
	}
	return slices.Contains(w.repeatedKeys, key)
}

// evaluate returns the static evaluation at a ply, never a mate score.
func (w *worker) evaluate(ply int) int {
	f := &w.stack[ply]
	f.findAttacks()
	score := w.evaluator.Evaluate(ply, &f.pos, &f.attacks)
	return min(max(score, -mateBound+1), mateBound-1)
}
