package engine

import "github.com/zhbot/zhbot/rules"

// quiescence searches captures, promotions and evasions until the position is quiet, and
// at its first ply (depth 0; later plies have negative depths) also drops that give check.
// It returns a score as negamax does.
func (w *worker) quiescence(alpha, beta, depth, ply int) int {
	// Step 1. Count the node; return if the search must stop.
	if w.visit() {
		return 0
	}
	f := &w.stack[ply]
	p := &f.pos
	f.pv.n = 0
	isPV, inCheck := beta-alpha > 1, p.InCheck()
	w.selDepth = max(w.selDepth, ply)

	// Step 2. Repetition and maximum ply.
	if w.isRepetition(ply) {
		return drawScore
	}
	if ply >= maxPly {
		return w.staticOrDraw(ply)
	}

	// Step 3. Static evaluation, while the table entry is fetched.
	w.findEval(ply)

	// Step 4. Transposition table. Entries of quiescence have depth 0, with or
	// without checks.
	ttEntry, ttHit := w.table.probe(w.keys[ply]^w.salt, ply)
	if ttHit && !isPV && ttEntry.causesCutoff(alpha, beta) {
		return ttEntry.score
	}
	hashMove := ttEntry.move
	if hashMove != rules.NoMove && !p.IsLegal(hashMove) {
		hashMove = rules.NoMove
	}

	// Step 5. Stand pat: the side to move need not capture anything.
	bestScore, bestMove, alphaBefore := -infinity, rules.NoMove, alpha
	if !inCheck {
		bestScore = f.eval
		if ttHit && ttEntry.improvesOn(bestScore) {
			bestScore = ttEntry.score
		}
		if bestScore >= beta {
			return bestScore
		}
		alpha = max(alpha, bestScore)
		if hashMove != rules.NoMove && !noisy(p, hashMove) {
			hashMove = rules.NoMove
		}
	}

	// Step 6. Mate in one: neither captures nor checking drops find them all.
	if !inCheck {
		f.checks.Find(p)
		if score, found := w.mateInOneAt(ply); found {
			return score
		}
	}

	// Step 7. Loop over the moves, the most promising first. Checking drops are
	// tried only if the score is close to alpha.
	tryChecks := depth == 0 && bestScore+w.params.QuiescenceCheckMargin > alpha
	if inCheck || tryChecks {
		f.findAttacks() // to order quiet moves
	}
	f.picker.start(p, stageQuiescenceHash, hashMove)
	f.picker.skipQuiets = !tryChecks
	moveCount, quiets := 0, 0
	for m := w.nextMove(ply); m != rules.NoMove; m = w.nextMove(ply) {
		moveCount++

		// Step 8. Prune moves that cannot raise alpha or lose material.
		if bestScore > -mateBound {
			quiet := !noisy(p, m)
			if quiet {
				if quiets++; quiets > quiescenceQuiets {
					break // only quiet moves are left
				}
			}
			if !inCheck && !quiet {
				limit := f.eval + w.captureMargin(ply, m, moveCount)
				if limit <= alpha && !f.checks.Gives(p, m) {
					bestScore = max(bestScore, limit)
					continue
				}
			}
			if !f.seeAtLeast(m, 0) {
				continue
			}
		}

		// Step 9. Make the move.
		w.makeMove(ply, m)
		score := -w.quiescence(-beta, -alpha, depth-1, ply+1)
		if w.stopped {
			return 0
		}

		// Step 10. Update the best move.
		if score > bestScore {
			bestScore = score
			if score > alpha {
				alpha, bestMove = score, m
				if isPV {
					f.pv.set(m, &w.stack[ply+1].pv)
				}
				if score >= beta {
					break
				}
			}
		}
	}

	// Step 11. Without evasions: checkmate.
	if inCheck && moveCount == 0 {
		return matedIn(ply)
	}

	// Step 12. Store the result in the transposition table.
	w.table.store(w.keys[ply]^w.salt, entry{
		move: bestMove, score: bestScore, bound: boundOf(bestScore, alphaBefore, beta),
	}, ply)
	return bestScore
}
