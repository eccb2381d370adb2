package human

import (
	"math/rand/v2"
	"slices"

	"github.com/zhbot/zhbot/rules"
)

// People of modest strength err in their own ways: they overlook drops and distant checks
// more than captures, and play a move at first glance, without looking for the answer. So do the
// lower levels, the more the lower they are: a move at first glance is one by static evaluation.

// oversight returns how much a level overlooks: from 0, for [carefulLevels] and above, to 1
// for the lowest level.
func (s Strength) oversight() float64 {
	return max(0, s.levelsBelow-(MaxLevel-carefulLevels)) / carefulLevels
}

// SeenMoves returns those of the legal moves that the level sees: all if it is careful, if
// the side to move is in check, or if it would see none.
func (s Strength) SeenMoves(p *rules.Position, moves []rules.Move) []rules.Move {
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

// Overlooks reports whether the level overlooks anything, and so [Candidate.Hanging] counts.
func (s Strength) Overlooks() bool { return s.oversight() > 0 }

// UsesStaticEval reports whether the level plays by the static evaluation, without a search, in the
// position with a key.
func (s Strength) UsesStaticEval(key uint64) bool {
	share := s.oversight()
	return share > 0 && rand.New(rand.NewPCG(^s.seed, key)).Float64() < share*staticEvalShare
}
