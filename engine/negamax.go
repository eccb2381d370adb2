package engine

import (
	"math"

	"github.com/zhbot/zhbot/rules"
)

// negamax searches the position at ply and returns its score for the side to
// move: exact between alpha and beta, else a bound. expectCut marks nodes
// whose parent expects them to fail high. The score means nothing once
// w.stopped is set.
func (w *worker) negamax(alpha, beta, depth, ply int, expectCut bool) int {
	// Step 1. Horizon: resolve captures and checks before evaluating.
	if depth <= 0 {
		return w.quiescence(alpha, beta, 0, ply)
	}

	// Step 2. Count the node; stop when the search is over.
	if w.visit() {
		return 0
	}
	f := &w.stack[ply]
	p := &f.pos
	f.pv.n = 0
	isRoot, isPV, inCheck := ply == 0, beta-alpha > 1, p.InCheck()
	w.selDepth = max(w.selDepth, ply)

	if !isRoot {
		// Step 3. Repetition, and the end of the stack.
		if w.repeats(ply) {
			return drawScore
		}
		if ply >= maxPly {
			return w.staticOrDraw(ply)
		}

		// Step 4. Mate distance pruning: a shorter mate is already known.
		alpha, beta = max(alpha, matedIn(ply)), min(beta, mateIn(ply+1))
		if alpha >= beta {
			return alpha
		}
	}

	// Step 5. Transposition table.
	singular := f.excluded != rules.NoMove
	known, found := w.table.probe(w.keys[ply], ply)
	hash := known.move
	if isRoot && w.rank > 0 {
		hash = w.best.first() // the table's is of another line
	}
	if hash != rules.NoMove && !p.IsLegal(hash) {
		hash = rules.NoMove
	}
	if found && !isPV && !singular && known.depth >= depth && known.cuts(alpha, beta) {
		if known.score >= beta && hash != rules.NoMove && !noisy(p, hash) {
			w.learnQuiet(ply, hash, historyBonus(depth)/2)
		}
		return known.score
	}

	// Step 6. Static evaluation, sharpened by the table's score.
	if !singular {
		f.raw = w.static(ply, known)
		f.eval = w.correct(ply, f.raw)
	}
	eval := f.eval
	if found && eval != noScore && known.refines(eval) {
		eval = known.score
	}
	improving := w.improving(ply)
	w.stack[ply+1].killers = [2]rules.Move{}
	w.stack[ply+2].cutoffs = 0
	noisyHash := hash != rules.NoMove && noisy(p, hash)

	if !isPV && !inCheck && !singular {
		// Step 7. Razoring: hopeless nodes get a last chance in quiescence.
		if depth <= razorDepth && eval+razorMargin*depth < alpha {
			if score := w.quiescence(alpha, alpha+1, 0, ply); score <= alpha {
				return score
			}
		}

		// Step 8. Reverse futility: so far above beta that a quiet move
		// will hold it.
		if depth <= reverseFutilityDepth && abs(beta) < mateBound && eval < mateBound &&
			eval-reverseFutilityMargin*(depth-intOf(improving)) >= beta {
			return eval
		}

		// Step 9. Null move: if passing holds beta, so will a move.
		if depth >= nullMinDepth && eval >= beta && ply >= w.verify &&
			w.madeMove(ply-1) && hasPiece(p) && beta > -mateBound {
			if score, cut := w.tryNull(beta, depth, ply, eval, expectCut); w.stopped || cut {
				return score
			}
		}
	}

	// Step 10. Internal iterative reduction: without a hash move the order
	// is poor, and a shallower search will find one for the next time.
	if depth >= iterativeReductionDepth && hash == rules.NoMove && !singular && (isPV || expectCut) {
		depth--
	}

	// Step 11. Singular extension: search the hash move deeper if nothing
	// else comes near it.
	hashExtension := 0
	if depth >= singularDepth && !isRoot && !singular && hash != rules.NoMove &&
		known.depth >= depth-3 && known.bound&lowerBound != 0 && abs(known.score) < mateBound &&
		ply < 2*w.rootDepth {
		margin := known.score - singularMargin*depth
		f.excluded = hash
		score := w.negamax(margin-1, margin, (depth-1)/2, ply, expectCut)
		f.excluded = rules.NoMove
		switch {
		case w.stopped:
			return 0
		case score < margin:
			hashExtension = 1
		case margin >= beta:
			return margin // several moves beat beta
		}
	}

	// Step 12. Loop over the moves, the most promising first.
	f.checks.Find(p)
	f.picker.reset(p, hash, w.refutations(ply))
	f.quiets.n, f.captures.n = 0, 0
	best, bestMove, alphaBefore := -infinity, rules.NoMove, alpha
	before := w.continuations(ply)
	count := 0
	for m := w.pick(ply); m != rules.NoMove; m = w.pick(ply) {
		if m == f.excluded || isRoot && !w.playable(m) {
			continue
		}
		count++
		w.table.prefetch(p.KeyAfter(m)) // early: it is not far from its use
		quiet, check := !noisy(p, m), f.checks.Gives(p, m)

		// Step 13. Pruning at low depth, once a move is known that does
		// not lose by mate.
		if !isRoot && best > -mateBound {
			reduced := max(depth-lateReduction(depth, count)>>reductionBits, 1)
			if quiet && !check {
				if depth <= lateMoveDepth && count > lateMoves(depth, improving) {
					f.picker.skipQuiets = true
					continue
				}
				if reduced <= futilityDepth && !inCheck && f.eval+futilityBase+futilityMargin*reduced <= alpha {
					f.picker.skipQuiets = true
					continue
				}
			}
			if depth <= seeDepth && !f.picker.sound() && !seeAtLeast(p, m, w.seeFloor(p, m, depth, reduced, quiet, check)) {
				continue
			}
		}

		// Step 14. Extensions: the singular move, and checks that lose
		// nothing.
		extension := 0
		if m == hash {
			extension = hashExtension
		}
		if check && extension == 0 && ply < 2*w.rootDepth && (f.picker.sound() || seeAtLeast(p, m, 0)) {
			extension = 1
		}

		// Step 15. Play the move. Late moves are searched less deep, all
		// but the first with a null window, and again when they surprise.
		w.play(ply, m)
		newDepth := depth - 1 + extension
		var score int
		if depth >= 2 && count > 1+intOf(isRoot) && (quiet || count > 3) {
			r := lateReduction(depth, count)
			if expectCut {
				r += reduceExpectCut
			}
			if !improving {
				r += reduceNotImproving
			}
			if isPV {
				r -= reducePV
			}
			if check {
				r -= reduceCheck
			}
			if w.stack[ply+1].cutoffs > manyCutoffs {
				r += reduceCutoffs
			}
			if quiet {
				if noisyHash {
					r += reduceNoisyHash
				}
				if m.IsDrop() && !check && farFromKings(p, m.To()) {
					r += reduceFarDrop
				}
				r -= int(w.quietScore(p, m, &before)) * reductionUnit / reductionHistory
			} else {
				r -= reduceCapture + int(*w.history.captureAt(p, m))*reductionUnit/reductionHistory
			}
			reduced := min(max(newDepth-r>>reductionBits, 1), newDepth)
			score = -w.negamax(-alpha-1, -alpha, reduced, ply+1, true)
			if score > alpha && reduced < newDepth && !w.stopped {
				newDepth += intOf(score > best+deeperMargin) - intOf(score < best+newDepth)
				score = -w.negamax(-alpha-1, -alpha, newDepth, ply+1, !expectCut)
			}
		} else if !isPV || count > 1 {
			score = -w.negamax(-alpha-1, -alpha, newDepth, ply+1, !expectCut)
		}
		if isPV && (count == 1 || score > alpha) && !w.stopped {
			score = -w.negamax(-beta, -alpha, newDepth, ply+1, false)
		}
		if w.stopped {
			return 0
		}

		// Step 16. A new best move, a cutoff, or one more that failed.
		if score > best {
			best = score
			if score > alpha {
				alpha, bestMove = score, m
				if isPV {
					f.pv.set(m, &w.stack[ply+1].pv)
				}
				if isRoot {
					w.best, w.score = f.pv, score
				}
				if score >= beta {
					f.cutoffs++
					break
				}
			}
		}
		if quiet {
			f.quiets.add(m)
		} else {
			f.captures.add(m)
		}
	}

	// Step 17. No legal move: mate or stalemate.
	if count == 0 {
		switch {
		case singular:
			return alpha
		case inCheck:
			return matedIn(ply)
		}
		return drawScore
	}

	// Step 18. Learn from a cutoff, and remember the result.
	switch {
	case best >= beta:
		w.learnCutoff(ply, depth+intOf(best > beta+surprise), bestMove)
	case best <= alphaBefore && !singular && !isRoot:
		w.learnFailLow(ply, depth)
	}
	b := boundOf(best, alphaBefore, beta)
	if !singular && (bestMove == rules.NoMove || !noisy(p, bestMove)) {
		w.learnCorrection(ply, depth, best, b)
	}
	if !singular && !(isRoot && w.partial()) {
		w.table.store(w.keys[ply], entry{move: bestMove, score: best, eval: f.raw, depth: depth, bound: b}, ply)
	}
	return best
}

// tryNull searches the position after passing and returns its score, and
// whether it is a cutoff. Deep cutoffs are verified without null moves, since
// passing is sometimes better than any move.
func (w *worker) tryNull(beta, depth, ply, eval int, expectCut bool) (score int, cut bool) {
	reduced := depth - nullBase - depth/nullDepthDivisor - min((eval-beta)/nullEvalDivisor, nullEvalMost)
	w.pass(ply)
	score = -w.negamax(-beta, -beta+1, reduced, ply+1, !expectCut)
	if w.stopped || score < beta {
		return 0, false
	}
	score = min(score, mateBound-1) // a mate after passing is not proven
	if depth < nullVerifyDepth || w.verify > 0 {
		return score, true
	}
	w.verify = ply + 3*max(reduced, 1)/4
	verified := w.negamax(beta-1, beta, reduced, ply, false)
	w.verify = 0
	return score, verified >= beta
}

// lateReduction returns by how much the move with a number is reduced at a
// depth, in parts of a ply, whatever else is known of it.
func lateReduction(depth, count int) int {
	return reductions[min(depth, maxPly-1)][min(count, len(reductions[0])-1)]
}

// reductions holds the late move reductions by depth and move count, in parts
// of a ply.
var reductions = computeReductions()

func computeReductions() (table [maxPly][64]int) {
	for depth := 1; depth < maxPly; depth++ {
		for count := 1; count < 64; count++ {
			logs := math.Log(float64(depth)) * math.Log(float64(count))
			table[depth][count] = reductionBase + int(100*reductionUnit*logs/float64(reductionDivisor))
		}
	}
	return table
}

// lateMoves is how many moves are tried before quiet ones are skipped.
func lateMoves(depth int, improving bool) int {
	return (lateMoveBase + lateMoveFactor*depth*depth) / (2 - intOf(improving))
}

// seeFloor is the least that a move must hold in exchanges to be searched.
func (w *worker) seeFloor(p *rules.Position, m rules.Move, depth, reduced int, quiet, check bool) int {
	switch {
	case quiet && check:
		return -seeCaptureMargin * depth
	case quiet:
		return -seeQuietMargin * reduced * reduced
	}
	most := seeHistoryMost * depth
	trust := int(*w.history.captureAt(p, m)) / seeHistory
	return -seeCaptureMargin*depth - min(max(trust, -most), most)
}

// boundOf says what a score found with a window is a bound of.
func boundOf(score, alpha, beta int) bound {
	switch {
	case score >= beta:
		return lowerBound
	case score > alpha:
		return exactBound
	}
	return upperBound
}

// cuts reports whether the stored score decides a node with this window.
func (e entry) cuts(alpha, beta int) bool {
	return e.bound&lowerBound != 0 && e.score >= beta || e.bound&upperBound != 0 && e.score <= alpha
}

// refines reports whether the stored score says more than a static evaluation.
func (e entry) refines(eval int) bool {
	return e.bound&lowerBound != 0 && e.score > eval || e.bound&upperBound != 0 && e.score < eval
}

// static returns the static evaluation at a ply, from the table if it is
// there; in check there is none.
func (w *worker) static(ply int, known entry) int {
	switch {
	case w.stack[ply].pos.InCheck():
		return noScore
	case known.eval != noScore:
		return known.eval
	}
	return w.evaluate(ply)
}

// staticOrDraw is the score at the end of the stack.
func (w *worker) staticOrDraw(ply int) int {
	if w.stack[ply].pos.InCheck() {
		return drawScore
	}
	return w.evaluate(ply)
}

// improving reports whether the side to move stands better than at its last
// move, or if it was in check there, at the one before.
func (w *worker) improving(ply int) bool {
	now := w.stack[ply].eval
	if ply < 2 || now == noScore {
		return false
	}
	before := w.stack[ply-2].eval
	if before == noScore && ply >= 4 {
		before = w.stack[ply-4].eval
	}
	return before != noScore && now > before
}

// madeMove reports whether a real move was made at a ply.
func (w *worker) madeMove(ply int) bool { return ply >= 0 && w.stack[ply].move != rules.NoMove }

// hasPiece reports whether the side to move has more than pawns, on the board
// or in hand. Without, passing may be the only good move.
func hasPiece(p *rules.Position) bool {
	us := p.Turn()
	pieces := p.ByColor(us) &^ p.ByType(rules.Pawn) &^ p.ByType(rules.King)
	pocket := p.Pocket(us)
	return pieces != 0 || pocket.Total() > pocket.Count(rules.Pawn)
}

// farFromKings reports whether a square is farDrop or more steps from both.
func farFromKings(p *rules.Position, s rules.Square) bool {
	return distance(s, p.King(rules.White)) >= farDrop && distance(s, p.King(rules.Black)) >= farDrop
}

// distance returns the number of king's steps between two squares.
func distance(a, b rules.Square) int {
	return max(abs(a.File()-b.File()), abs(a.Rank()-b.Rank()))
}

func abs(x int) int { return max(x, -x) }

func intOf(b bool) int {
	if b {
		return 1
	}
	return 0
}
