package engine

import (
	"math/rand/v2"
	"slices"

	"github.com/zhbot/zhbot/rules"
)

// People of modest strength err in their own ways: they overlook drops and distant checks
// more than captures, and play a move at first glance, without looking for the answer. So
// do the lower levels, the more the lower they are.

// oversight returns how much a level overlooks: from 0, for [carefulLevels] and above, to 1
// for the lowest level.
func (s Strength) oversight() float64 {
	return max(0, s.levelsBelow-(MaxSkill-carefulLevels)) / carefulLevels
}

// seenMoves returns those of the legal moves that the level sees: all if it is careful, if
// the side to move is in check, or if it would see none.
func (s Strength) seenMoves(p *rules.Position, moves []rules.Move) []rules.Move {
	share := s.oversight()
	if share == 0 || p.InCheck() {
		return moves
	}
	random := rand.New(rand.NewPCG(s.seed, ^p.Key()))
	seen := slices.DeleteFunc(slices.Clone(moves), func(m rules.Move) bool {
		return random.Float64() < share*obscurity(p, m)
	})
	if len(seen) == 0 {
		return moves
	}
	return seen
}

// obscurity returns how likely the lowest level overlooks a move.
func obscurity(p *rules.Position, m rules.Move) float64 {
	if !m.IsDrop() && !p.GivesCheck(m) {
		return 0
	}
	next := p.After(m)
	king := next.King(next.Turn())
	distant := next.Checkers()&^(rules.KingAttacks(king)|rules.KnightAttacks(king)) != 0
	switch {
	case distant && m.IsDrop():
		return distantDropOverlooked
	case distant:
		return distantCheckOverlooked
	case m.IsDrop() && !next.IsCheckmate():
		return dropOverlooked
	}
	return 0
}

// glances reports whether the level plays at first glance in the position with a key.
func (s Strength) glances(key uint64) bool {
	share := s.oversight()
	return share > 0 && rand.New(rand.NewPCG(^s.seed, key)).Float64() < share*playedAtFirstGlance
}

// atFirstGlance makes a move the best line as the level judges it at first glance: by the
// evaluation of the position after it, less what then hangs.
func (w *worker) atFirstGlance() {
	type glance struct {
		candidate
		move rules.Move
	}
	var list []glance
	for _, m := range w.rootMoves {
		w.makeMove(0, m)
		loss := hanging(&w.stack[1].pos)
		list = append(list, glance{candidate{-w.evaluate(1) - loss, loss}, m})
	}
	slices.SortStableFunc(list, func(a, b glance) int { return b.score - a.score })
	candidates := make([]candidate, len(list))
	for i, g := range list {
		candidates[i] = g.candidate
	}
	chosen := list[w.limits.Strength.chooseLine(w.keys[0], candidates)]
	w.best.n, w.best.moves[0], w.score = 1, chosen.move, chosen.score
}

// hanging returns the most that the side to move wins by exchanges on one square.
func hanging(p *rules.Position) (most int) {
	for _, m := range p.LegalMoves() {
		if !p.IsCapture(m) || !seeAtLeast(p, m, most+1) {
			continue
		}
		low, high := most+1, captureGain(p, m) // what it wins is between these
		for low < high {
			if middle := (low + high + 1) / 2; seeAtLeast(p, m, middle) {
				low = middle
			} else {
				high = middle - 1
			}
		}
		most = low
	}
	return most
}
