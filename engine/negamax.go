package engine

import "github.com/zhbot/zhbot/rules"

// negamax searches the position at ply and returns its score for the side to move: exact
// between alpha and beta, otherwise a bound. cutNode marks nodes that are expected to fail
// high. The score is invalid once w.stopped is set.
func (w *worker) negamax(alpha, beta, depth, ply int, cutNode bool) int {
	// Step 1. At depth 0, resolve captures and checks in quiescence.
	if depth <= 0 {
		return w.quiescence(alpha, beta, 0, ply)
	}

	// Step 2. Count the node; return if the search must stop.
	if w.visit() {
		return 0
	}
	f := &w.stack[ply]
	p := &f.pos
	f.pv.n = 0
	isRoot, isPV, inCheck := ply == 0, beta-alpha > 1, p.InCheck()
	w.selDepth = max(w.selDepth, ply)

	if !isRoot {
		// Step 3. Repetition and maximum ply.
		if w.isRepetition(ply) {
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

	// Step 5. Static evaluation, while the table entry is fetched: even where it is not
	// needed, it costs less than to wait for memory.
	w.findEval(ply)

	// Step 6. Transposition table.
	singularSearch := f.excluded != rules.NoMove
	ttEntry, ttHit := w.table.probe(w.keys[ply]^w.salt, ply)
	hashMove := ttEntry.move
	if isRoot && w.rootRestricted() {
		hashMove = w.best.first() // the table does not hold this search
	}
	if hashMove != rules.NoMove && !p.IsLegal(hashMove) {
		hashMove = rules.NoMove
	}
	if ttHit && !isPV && !singularSearch && (ttEntry.depth >= depth || ttEntry.isWin()) &&
		ttEntry.causesCutoff(alpha, beta) {
		if ttEntry.score >= beta && hashMove != rules.NoMove && !noisy(p, hashMove) {
			f.findAttacks()
			w.updateQuiet(ply, hashMove, w.params.historyBonus(depth)/2)
		}
		return ttEntry.score
	}

	eval := f.eval
	if ttHit && eval != noScore && ttEntry.improvesOn(eval) {
		eval = ttEntry.score
	}
	improving := w.improving(ply)
	if !isRoot && !singularSearch { // that of a singular search is corrected already
		depth = w.depthInHindsight(ply, depth)
	}
	w.stack[ply+1].killers = [2]rules.Move{}
	w.stack[ply+2].cutoffs = 0
	noisyHash := hashMove != rules.NoMove && noisy(p, hashMove)

	if !isPV && !inCheck && !singularSearch {
		// Step 7. Razoring: far below alpha, rely on quiescence.
		if depth <= razorDepth && eval+w.params.RazorMargin*depth < alpha {
			if score := w.quiescence(alpha, alpha+1, 0, ply); score <= alpha {
				return score
			}
		}

		// Step 8. Reverse futility: far above beta, assume a cutoff.
		if depth <= reverseFutilityDepth && abs(beta) < mateBound && eval < mateBound &&
			eval-w.params.ReverseFutilityMargin*(depth-boolToInt(improving))-
				abs(f.correction)*w.params.CorrectionMargin/100 >= beta {
			return eval
		}
	}

	// Step 9. Mate in one, which pruning might miss. Positions in the table have been
	// tested.
	f.checks.Find(p)
	f.findAttacks()
	if !isRoot && !inCheck && !ttHit {
		if score, found := w.mateInOneAt(ply); found {
			return score
		}
	}

	// Step 10. Null move: if passing holds beta, a move will too.
	if !isPV && !inCheck && !singularSearch && depth >= nullMinDepth && eval >= beta && f.eval >= beta-nullMargin*depth &&
		ply >= w.nullMoveMinPly && w.madeMove(ply-1) && hasNonPawnMaterial(p) && beta > -mateBound {
		if score, cut := w.nullMoveSearch(beta, depth, ply, eval, cutNode); w.stopped || cut {
			return score
		}
	}

	// Step 11. Internal iterative reduction: without a hash move the move order
	// is poor, and a shallower search finds one for the next time.
	if depth >= iterativeReductionDepth && hashMove == rules.NoMove && !singularSearch && (isPV || cutNode) {
		depth--
	}

	// Step 12. Singular extension: extend the hash move if all other moves are
	// much worse.
	hashExtension := 0
	if depth >= singularDepth && !isRoot && !singularSearch && hashMove != rules.NoMove &&
		ttEntry.depth >= depth-3 && ttEntry.bound&lowerBound != 0 && abs(ttEntry.score) < mateBound &&
		ply < 2*w.rootDepth {
		margin := ttEntry.score - singularMargin*depth
		f.excluded = hashMove
		score := w.negamax(margin-1, margin, (depth-1)/2, ply, cutNode)
		f.excluded = rules.NoMove
		switch {
		case w.stopped:
			return 0
		case score < margin:
			hashExtension = 1
		case margin >= beta:
			return margin // multi-cut: another move beats beta too
		}
	}

	// Step 13. Loop over the moves, the most promising first.
	f.picker.start(p, stageHash, hashMove)
	f.picker.refutations = w.refutations(ply)
	f.quiets.n, f.captures.n = 0, 0
	bestScore, bestMove, alphaBefore := -infinity, rules.NoMove, alpha
	continuations := w.continuationTables(ply)
	futilityEval := f.eval // with the margin of the kind of node
	switch {
	case isPV:
		futilityEval += w.params.FutilityPV
	case cutNode:
		futilityEval -= w.params.FutilityCutNode
	}
	moveCount := 0
	for m := w.nextMove(ply); m != rules.NoMove; m = w.nextMove(ply) {
		if m == f.excluded || isRoot && !w.isRootMove(m) {
			continue
		}
		moveCount++
		quiet, givesCheck := !noisy(p, m), f.checks.Gives(p, m)

		// Step 14. Pruning at low depth, once some move avoids mate: by futility, unless
		// checks are involved, and of quiet moves by SEE.
		if !isRoot && depth <= pruningDepth && bestScore > -mateBound {
			if !inCheck && !givesCheck && futilityEval+w.futilityMargin(ply, depth, m, moveCount, quiet) <= alpha {
				f.picker.skipQuiets = f.picker.skipQuiets || quiet
				continue
			}
			if quiet && !f.seeAtLeast(m, w.seeThreshold(ply, depth, moveCount, givesCheck)) {
				continue
			}
		}

		// Step 15. Extensions: the singular move, the only evasion, and checks that lose
		// no material.
		extension := 0
		if m == hashMove {
			extension = hashExtension
		}
		if extension == 0 && ply < 2*w.rootDepth && (f.picker.isOnlyEvasion() ||
			givesCheck && (f.picker.isGoodCapture() || f.seeAtLeast(m, 0))) {
			extension = 1
		}

		// Step 16. Make the move. Late moves are reduced, all but the first
		// have a null window, and a move that beats alpha is searched again.
		nodesBefore := w.nodes
		w.makeMove(ply, m)
		newDepth := depth - 1 + extension
		var score int
		if depth >= 2 && moveCount > 1+boolToInt(isRoot) {
			r := w.params.lateReduction(depth, moveCount)
			if cutNode {
				r += w.params.ReduceCutNode
			}
			if !improving {
				r += w.params.ReduceNotImproving
			}
			if isPV {
				r -= w.params.ReducePV
			}
			if givesCheck {
				r -= w.params.ReduceCheck
			}
			if w.stack[ply+1].cutoffs > manyCutoffs {
				r += w.params.ReduceCutoffs
			}
			if quiet {
				if noisyHash {
					r += w.params.ReduceNoisyHash
				}
				if m.IsDrop() {
					r -= w.params.ReduceDrop
					if !givesCheck && farFromKings(p, m.To()) {
						r += w.params.ReduceFarDrop
					}
				}
				r -= int(w.quietScore(f, m, f.pieceTo, &continuations)) * reductionUnit / w.params.ReductionHistory
				if !givesCheck {
					r += w.reductionByEval(ply+1, -alpha)
				}
			} else {
				history := int(*w.history.captureAt(p, m))
				r -= w.params.ReduceCapture + history*reductionUnit/w.params.ReductionHistory
			}
			reduced := min(max(newDepth-r>>reductionBits, 1), newDepth)
			f.reduction = newDepth - reduced
			score = -w.negamax(-alpha-1, -alpha, reduced, ply+1, true)
			f.reduction = 0
			if score > alpha && reduced < newDepth && !w.stopped {
				newDepth += boolToInt(score > bestScore+w.params.DeeperMargin) - boolToInt(score < bestScore+newDepth)
				score = -w.negamax(-alpha-1, -alpha, newDepth, ply+1, !cutNode)
			}
		} else if !isPV || moveCount > 1 {
			score = -w.negamax(-alpha-1, -alpha, newDepth, ply+1, !cutNode)
		}
		if isPV && (moveCount == 1 || score > alpha) && !w.stopped {
			score = -w.negamax(-beta, -alpha, newDepth, ply+1, false)
		}
		if w.stopped {
			return 0
		}

		// Step 17. Update the best move, or record the failed one.
		if score > bestScore {
			bestScore = score
			if score > alpha {
				alpha, bestMove = score, m
				if isPV {
					f.pv.set(m, &w.stack[ply+1].pv)
				}
				if isRoot {
					w.best, w.score, w.bestNodes = f.pv, score, w.nodes-nodesBefore
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

	// Step 18. Without legal moves: checkmate or stalemate.
	if moveCount == 0 {
		switch {
		case singularSearch:
			return alpha
		case inCheck:
			return matedIn(ply)
		}
		return drawScore
	}

	// Step 19. Update the histories and the transposition table.
	switch {
	case bestMove != rules.NoMove:
		w.updateBest(ply, depth+boolToInt(bestScore > beta+w.params.FailHighMargin), bestMove)
	case !singularSearch && !isRoot:
		w.updateFailLow(ply, depth)
	}
	b, restricted := boundOf(bestScore, alphaBefore, beta), singularSearch || isRoot && w.rootRestricted()
	if !restricted && (bestMove == rules.NoMove || !noisy(p, bestMove)) {
		w.updateCorrectionHistory(ply, depth, bestScore, b)
	}
	if !restricted {
		w.table.store(w.keys[ply]^w.salt, entry{move: bestMove, score: bestScore, depth: depth, bound: b}, ply)
	}
	return bestScore
}

// nullMoveSearch searches the position after a null move and returns its score, and
// whether it is a cutoff. Deep cutoffs are verified by a search without null moves,
// because of zugzwang.
func (w *worker) nullMoveSearch(beta, depth, ply, eval int, cutNode bool) (score int, cut bool) {
	reduced := depth - nullBase - depth/nullDepthDivisor - min((eval-beta)/w.params.NullEvalDivisor,
		maxNullEvalReduction)
	w.makeNullMove(ply)
	score = -w.negamax(-beta, -beta+1, reduced, ply+1, !cutNode)
	if w.stopped || score < beta {
		return 0, false
	}
	score = min(score, mateBound-1) // a mate after a null move is not proven
	if depth < nullVerifyDepth || w.nullMoveMinPly > 0 {
		return score, true
	}
	w.nullMoveMinPly = ply + 3*max(reduced, 1)/4
	verified := w.negamax(beta-1, beta, reduced, ply, false)
	w.nullMoveMinPly = 0
	return score, verified >= beta
}

// depthInHindsight returns the depth for the position at a ply, corrected by what the move
// to it seems to have gained if it was reduced.
func (w *worker) depthInHindsight(ply, depth int) int {
	f, before := &w.stack[ply], &w.stack[ply-1]
	reduction := before.reduction
	before.reduction = 0 // once for each move
	if f.eval == noScore || before.eval == noScore {
		return depth
	}
	gain := -f.eval - before.eval
	switch {
	case reduction >= deeperReduction && gain >= 0:
		return depth + 1
	case reduction >= shallowerReduction && depth >= 2 && gain < -shallowerLoss:
		return depth - 1
	}
	return depth
}

// boundOf returns the bound type of a score found with a window.
func boundOf(score, alpha, beta int) bound {
	switch {
	case score >= beta:
		return lowerBound
	case score > alpha:
		return exactBound
	}
	return upperBound
}

// causesCutoff reports whether the stored score decides a node with this window.
func (e entry) causesCutoff(alpha, beta int) bool {
	return e.bound&lowerBound != 0 && e.score >= beta || e.bound&upperBound != 0 && e.score <= alpha
}

// isWin reports whether the stored score is that of a mate that was found, which is certain
// at any depth: moves are only pruned where one avoids mate.
func (e entry) isWin() bool { return e.bound&lowerBound != 0 && e.score >= mateBound }

// improvesOn reports whether the stored score is a better estimate than a static
// evaluation.
func (e entry) improvesOn(eval int) bool {
	return e.bound&lowerBound != 0 && e.score > eval || e.bound&upperBound != 0 && e.score < eval
}

// findEval sets the static evaluation at a ply, corrected by the history; noScore in check.
func (w *worker) findEval(ply int) {
	f := &w.stack[ply]
	switch {
	case f.evaluated:
		return
	case f.pos.InCheck():
		f.eval, f.correction = noScore, 0
	default:
		f.correction = w.correction(ply) // fetched while the network runs
		f.eval = min(max(w.evaluate(ply)+f.correction, -mateBound+1), mateBound-1)
	}
	f.evaluated = true
}

// staticOrDraw returns the score at the maximum ply.
func (w *worker) staticOrDraw(ply int) int {
	if w.stack[ply].pos.InCheck() {
		return drawScore
	}
	return w.evaluate(ply)
}

// improving reports whether the static evaluation is higher than at the side's last move,
// or if it was in check there, at the one before.
func (w *worker) improving(ply int) bool {
	now := w.stack[ply].eval
	if ply < 2 || now == noScore {
		return false
	}
	previous := w.stack[ply-2].eval
	if previous == noScore && ply >= 4 {
		previous = w.stack[ply-4].eval
	}
	return previous != noScore && now > previous
}

// madeMove reports whether the move at a ply is neither missing nor a null move.
func (w *worker) madeMove(ply int) bool { return ply >= 0 && w.stack[ply].move != rules.NoMove }

// hasNonPawnMaterial reports whether the side to move has a piece other than pawns and
// king, on the board or in hand. Without, zugzwang is likely.
func hasNonPawnMaterial(p *rules.Position) bool {
	us := p.Turn()
	pieces := p.ByColor(us) &^ p.ByType(rules.Pawn) &^ p.ByType(rules.King)
	pocket := p.Pocket(us)
	return pieces != 0 || pocket.Total() > pocket.Count(rules.Pawn)
}

// farFromKings reports whether a square is at least farDrop king steps from both kings.
func farFromKings(p *rules.Position, s rules.Square) bool {
	return distance(s, p.King(rules.White)) >= farDrop && distance(s, p.King(rules.Black)) >= farDrop
}

// distance returns the number of king steps between two squares.
func distance(a, b rules.Square) uint8 { return distances[a&63][b&63] }

var distances = computeDistances()

func computeDistances() (table [64][64]uint8) {
	for a := range rules.Square(64) {
		for b := range rules.Square(64) {
			table[a][b] = uint8(max(abs(a.File()-b.File()), abs(a.Rank()-b.Rank())))
		}
	}
	return table
}

func abs(x int) int { return max(x, -x) }

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
