package engine

import (
	"math"
	"math/rand/v2"
)

// MaxSkill is the level of a search that plays as well as it can.
const MaxSkill = 20

// Strength says how well a search plays. The zero value is as well as it can.
//
// A level below [MaxSkill] bounds the nodes of a search, and has it choose at
// random among its best root moves, the more freely the lower the level: a move
// that scores d less than the best is exp(-d/t) times as likely, where t is the
// level's temperature, and out of the question from a few temperatures on. Both
// change geometrically from level to level, so that each is weaker than the next
// whatever the clock. The scores are those of the last depth that was finished, for
// only scores of the same depth compare. The first ply is always searched in full, and a mate that
// was found is played: also the lowest level gives mate in one.
type Strength struct {
	below float64 // levels below MaxSkill
	seed  uint64
}

// StrengthFromSkill is the strength of a level from 0 to [MaxSkill]. The seed and the
// position decide what is chosen, so that a search can be repeated.
func StrengthFromSkill(level int, seed uint64) Strength {
	return Strength{below: float64(MaxSkill - min(max(level, 0), MaxSkill)), seed: seed}
}

// StrengthFromElo is the strength of a rating from [MinElo] to [MaxElo] on the scale of the
// levels among themselves; between two levels it is between them.
func StrengthFromElo(elo int, seed uint64) Strength {
	level := len(levelElo) - 1
	for level > 0 && levelElo[level] > elo {
		level--
	}
	s := StrengthFromSkill(level, seed)
	if level < MaxSkill {
		part := float64(max(elo-levelElo[level], 0)) / float64(levelElo[level+1]-levelElo[level])
		s.below -= part
	}
	return s
}

// full reports whether the search plays as well as it can.
func (s Strength) full() bool { return s.below <= 0 }

// nodes returns how many nodes a search may take, 0 for any number.
func (s Strength) nodes() uint64 {
	if s.full() {
		return 0
	}
	return uint64(levelNodes * math.Pow(levelNodesFactor, MaxSkill-s.below))
}

// lines returns among how many root moves there is a choice.
func (s Strength) lines() int {
	if s.full() {
		return 1
	}
	return levelLines + int(s.below)/levelsALine
}

// choose returns which of some root moves to play, by their scores, the best
// first. The key is that of the position.
func (s Strength) choose(key uint64, scores []int) int {
	if s.full() || len(scores) < 2 || abs(scores[0]) >= mateBound {
		return 0
	}
	temperature := levelTemperature * math.Pow(levelTemperatureFactor, MaxSkill-s.below)
	weight := func(score int) float64 {
		less := float64(max(scores[0]-score, 0)) / temperature
		if less > levelMargin {
			return 0
		}
		return math.Exp(-less)
	}
	sum := 0.0
	for _, score := range scores {
		sum += weight(score)
	}
	left := sum * rand.New(rand.NewPCG(s.seed, key)).Float64()
	for i, score := range scores {
		if left -= weight(score); left < 0 {
			return i
		}
	}
	return 0
}

// nodeLimit returns after how many nodes the search ends, 0 for never. That of a
// level begins to count with the second ply.
func (w *worker) nodeLimit() uint64 {
	limit, level := w.limits.Nodes, w.limits.Strength.nodes()
	if clock := w.time.nodeLimit(); limit == 0 || clock > 0 && clock < limit {
		limit = clock
	}
	if level == 0 || w.rootDepth <= 1 || limit > 0 && limit < level {
		return limit
	}
	return level
}
