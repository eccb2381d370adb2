package engine

import (
	"sync/atomic"
	"time"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/rules"
)

// worker is the memory of one search thread. Workers are reused, so that
// searching allocates nothing.
type worker struct {
	*search
	claim *claim

	stack   [maxPly + 2]frame
	keys    [maxPly + 2]uint64 // the positions on the stack
	history history
	lastKey uint64 // root of the last search, to know the same game again
	idle    replies
	noReply int16           // the correction after a null move
	network *nnue.Evaluator // nil for the hand-written evaluation

	nodes     uint64
	reported  uint64 // nodes already added to the search's count
	nextPoll  uint64 // node at which to look at the clock again
	rootDepth int    // depth being searched
	depth     int    // last depth finished
	selDepth  int
	verify    int  // null moves are forbidden before this ply
	stopped   bool // the search is over: unwind without using any score
	best      line // the best line of the last depth, or of this one so far
	score     int  // its score

	lines []variation // the best lines, when several are wanted
	spare []variation // room for those of the next depth
	rank  int         // the line being searched
}

func newWorker(n *nnue.Network) *worker {
	w := new(worker)
	if n != nil {
		w.network = nnue.NewEvaluator(n, maxPly+1)
	}
	return w
}

// frame is what a worker knows of one position of the line it searches.
type frame struct {
	pos  rules.Position
	move rules.Move // the move being searched, NoMove for a null move
	step int        // its step, for the histories
	eval int        // static evaluation, corrected; noScore when in check
	raw  int        // the same before it was corrected
	// sinceNull counts the plies since a null move or the root.
	sinceNull int
	excluded  rules.Move // the move that a singular search leaves out
	killers   [2]rules.Move
	cutoffs   int // of the nodes at this ply since the grandparent was entered
	checks    rules.Checks
	quiets    moveBuffer // quiet moves tried, and
	captures  moveBuffer // captures tried, without a cutoff
	pv        line
	picker    movePicker
}

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

// moveBuffer is a short list of moves; what does not fit is forgotten.
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

// search is one call of [Engine.Search], shared by its workers.
type search struct {
	table  *table
	sched  *scheduler
	limits Limits
	root   rules.Position
	moves  []rules.Move // what the root may play
	// twice holds the keys of positions that have occurred twice in the
	// game: once more is a draw.
	twice []uint64
	time  timeManager

	quit  <-chan struct{} // closed when the search must end, and then
	stop  atomic.Bool     // is set, since it is cheaper to read
	total atomic.Uint64   // nodes searched by all workers, counted at polls

	failure atomic.Pointer[PanicError] // the first panic, if there was one
}

// prepare readies the worker for a search.
func (w *worker) prepare(s *search, c *claim) {
	w.search, w.claim = s, c
	w.nodes, w.reported, w.nextPoll = 0, 0, 0
	w.verify, w.stopped = 0, false
	w.best.n, w.score, w.depth, w.selDepth, w.rootDepth = 0, 0, 0, 0, 0
	w.lines, w.rank = w.lines[:0], 0
	for i := range w.stack {
		w.stack[i].killers = [2]rules.Move{}
		w.stack[i].cutoffs = 0
		w.stack[i].excluded = rules.NoMove
	}
	w.stack[0].pos = s.root
	w.keys[0] = s.root.Key()
	w.lastKey = s.root.Key()
	if w.network != nil {
		w.network.Reset(&s.root)
	}
}

// visit counts a node and reports whether the search is over.
func (w *worker) visit() (over bool) {
	w.nodes++
	if w.nodes >= w.nextPoll {
		w.poll()
	}
	if w.stop.Load() {
		w.stopped = true
	}
	return w.stopped
}

// poll looks at the limits, and gives the thread to another worker whose turn
// it is.
func (w *worker) poll() {
	w.count()
	w.nextPoll = w.nodes + pollNodes
	if limit := w.nodeLimit(); limit > 0 {
		w.stopped = w.stopped || w.nodes > limit
		w.nextPoll = min(w.nextPoll, limit+1)
	}
	now := time.Now()
	if w.time.expired(now) {
		w.stopped = true
	}
	if !w.stopped && w.sched.wanted(w.claim, now) {
		w.stopped = !w.sched.yield(w.claim, w.quit)
	}
}

// count adds the worker's nodes to those of the search.
func (w *worker) count() {
	w.total.Add(w.nodes - w.reported)
	w.reported = w.nodes
}

// repliesTo returns the continuation history of the move made at a ply, an
// idle table if there is none.
func (w *worker) repliesTo(ply int) *replies {
	if ply < 0 || w.stack[ply].move == rules.NoMove {
		return &w.idle
	}
	return &w.history.continuation[w.stack[ply].step]
}

// play makes a move at a ply.
func (w *worker) play(ply int, m rules.Move) {
	f, next := &w.stack[ply], &w.stack[ply+1]
	f.move, f.step = m, step(&f.pos, m)
	f.pos.PlayInto(m, &next.pos)
	w.keys[ply+1] = next.pos.Key()
	if w.network != nil {
		w.network.Play(ply, &f.pos, m)
	}
	next.sinceNull = f.sinceNull + 1
}

// pass makes a null move at a ply.
func (w *worker) pass(ply int) {
	f, next := &w.stack[ply], &w.stack[ply+1]
	f.move = rules.NoMove
	f.pos.PlayNullInto(&next.pos)
	w.keys[ply+1] = next.pos.Key()
	w.table.prefetch(w.keys[ply+1])
	if w.network != nil {
		w.network.PlayNull(ply)
	}
	next.sinceNull = 0
}

// repeats reports whether the position at a ply is a draw by repetition: the
// second time on the line being searched, or the third in the game. Captures
// and pawn moves can all be undone by drops, so only null moves, after which
// the line is no longer one of legal moves, end the look back.
func (w *worker) repeats(ply int) bool {
	key := w.keys[ply]
	for i := 4; i <= w.stack[ply].sinceNull; i += 2 {
		if w.keys[ply-i] == key {
			return true
		}
	}
	for _, k := range w.twice {
		if k == key {
			return true
		}
	}
	return false
}

// evaluate returns the static evaluation at a ply, never a mate score.
func (w *worker) evaluate(ply int) int {
	var score int
	if w.network != nil {
		score = w.network.Evaluate(ply, &w.stack[ply].pos)
	} else {
		score = evaluate(&w.stack[ply].pos)
	}
	return min(max(score, -mateBound+1), mateBound-1)
}
