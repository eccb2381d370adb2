package engine

import "github.com/zhbot/zhbot/rules"

// quiescence searches captures, promotions and evasions until the position is
// quiet, and at its first ply (depth 0, below are negative depths) also drops
// that give check. It returns a score as negamax does.
func (w *worker) quiescence(alpha, beta, depth, ply int) int {
	// Step 1. Count the node; stop when the search is over.
	if w.visit() {
		return 0
	}
	f := &w.stack[ply]
	p := &f.pos
	f.pv.n = 0
	isPV, inCheck := beta-alpha > 1, p.InCheck()
	w.selDepth = max(w.selDepth, ply)

	// Step 2. Repetition, and the end of the stack.
	if w.repeats(ply) {
		return drawScore
	}
	if ply >= maxPly {
		return w.staticOrDraw(ply)
	}

	// Step 3. Transposition table. Entries of this search have depth 0; none
	// says whether checks were looked at, which is worth the little it costs.
	known, found := w.table.probe(w.keys[ply], ply)
	if found && !isPV && known.cuts(alpha, beta) {
		return known.score
	}
	hash := known.move
	if hash != rules.NoMove && !p.IsLegal(hash) {
		hash = rules.NoMove
	}

	// Step 4. Stand pat: the side to move need not capture anything.
	f.raw = w.static(ply, known)
	f.eval = w.correct(ply, f.raw)
	best, bestMove, alphaBefore := -infinity, rules.NoMove, alpha
	if !inCheck {
		best = f.eval
		if found && known.refines(best) {
			best = known.score
		}
		if best >= beta {
			return best
		}
		alpha = max(alpha, best)
		if hash != rules.NoMove && !noisy(p, hash) {
			hash = rules.NoMove
		}
	}

	// Step 5. Loop over the moves, the most promising first. Checking drops
	// are tried where a little more would do, not in hopeless positions.
	f.picker.resetQuiescence(p, hash, depth == 0 && best+quiescenceCheckMargin > alpha)
	count, quiets := 0, 0
	for m := w.pick(ply); m != rules.NoMove; m = w.pick(ply) {
		count++
		w.table.prefetch(p.KeyAfter(m))

		// Step 6. Prune what cannot raise alpha or loses material.
		if best > -mateBound {
			gain := captureGain(p, m)
			if inCheck && gain == 0 {
				if quiets++; quiets > quiescenceEvasions {
					continue
				}
			}
			if !inCheck && gain > 0 && f.eval+gain+quiescenceMargin <= alpha && !p.GivesCheck(m) {
				best = max(best, f.eval+gain+quiescenceMargin)
				continue
			}
			if !seeAtLeast(p, m, 0) {
				continue
			}
		}

		// Step 7. Play the move.
		w.play(ply, m)
		score := -w.quiescence(-beta, -alpha, depth-1, ply+1)
		if w.stopped {
			return 0
		}

		// Step 8. A new best move or a cutoff.
		if score > best {
			best = score
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

	// Step 9. In check all evasions were listed: none is mate.
	if inCheck && count == 0 {
		return matedIn(ply)
	}

	// Step 10. Remember the result.
	w.table.store(w.keys[ply], entry{
		move: bestMove, score: best, eval: f.raw,
		bound: boundOf(best, alphaBefore, beta),
	}, ply)
	return best
}
