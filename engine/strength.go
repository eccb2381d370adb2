package engine

import (
	"math"
	"math/rand/v2"
)

// MaxSkill is the skill level of full strength.
const MaxSkill = 20

// Strength is the playing strength of a search. The zero value is full strength.
//
// A level below [MaxSkill] limits the nodes of a search and makes it choose randomly
// among its best root moves. A move that scores d centipawns less than the best is
// exp(-d/t) times as likely, where t is the level's temperature, and excluded beyond a
// few temperatures. Nodes and temperature change geometrically from level to level, so
// that each level is weaker than the next at any time control. Only the scores of the
// last completed depth are compared. The first ply is always searched completely, and a
// mate that was found is played: even the lowest level plays mate in one.
type Strength struct {
	levelsBelow float64 // levels below MaxSkill
	seed        uint64
}

// StrengthFromSkill returns the strength of a level from 0 to [MaxSkill]. The seed and the
// position determine the choice of moves, so that a search is repeatable.
func StrengthFromSkill(level int, seed uint64) Strength {
	return Strength{levelsBelow: float64(MaxSkill - min(max(level, 0), MaxSkill)), seed: seed}
}

// StrengthFromElo returns the strength of a rating from [MinElo] to [MaxElo], interpolated
// between the levels. The seed is that of [StrengthFromSkill].
func StrengthFromElo(elo int, seed uint64) Strength {
	level := len(levelElo) - 1
	for level > 0 && levelElo[level] > elo {
		level--
	}
	s := StrengthFromSkill(level, seed)
	if level < MaxSkill {
		part := float64(max(elo-levelElo[level], 0)) / float64(levelElo[level+1]-levelElo[level])
		s.levelsBelow -= part
	}
	return s
}

// full reports whether this is full strength.
func (s Strength) full() bool { return s.levelsBelow <= 0 }

// nodeLimit returns the maximum nodes of a search, 0 for no limit.
func (s Strength) nodeLimit() uint64 {
	if s.full() {
		return 0
	}
	return uint64(levelNodes * math.Pow(levelNodesFactor, MaxSkill-s.levelsBelow))
}

// lineCount returns the number of root moves to choose from.
func (s Strength) lineCount() int {
	if s.full() {
		return 1
	}
	return levelLines + int(s.levelsBelow)/levelsPerLine
}

// chooseLine returns the index of the root move to play, given their scores, the best
// first, and the key of the position.
func (s Strength) chooseLine(key uint64, scores []int) int {
	if s.full() || len(scores) < 2 || abs(scores[0]) >= mateBound {
		return 0
	}
	temperature := levelTemperature * math.Pow(levelTemperatureFactor, MaxSkill-s.levelsBelow)
	weight := func(score int) float64 {
		deficit := float64(max(scores[0]-score, 0)) / temperature
		if deficit > levelMargin {
			return 0
		}
		return math.Exp(-deficit)
	}
	sum := 0.0
	for _, score := range scores {
		sum += weight(score)
	}
	remaining := sum * rand.New(rand.NewPCG(s.seed, key)).Float64()
	for i, score := range scores {
		if remaining -= weight(score); remaining < 0 {
			return i
		}
	}
	return 0
}

// nodeLimit returns the maximum nodes of the search, 0 for no limit. A level's limit
// applies from the second ply on.
func (w *worker) nodeLimit() uint64 {
	limit, level := w.limits.Nodes, w.limits.Strength.nodeLimit()
	if clock := w.time.nodeLimit(); limit == 0 || clock > 0 && clock < limit {
		limit = clock
	}
	if level == 0 || w.rootDepth <= 1 || limit > 0 && limit < level {
		return limit
	}
	return level
}

// levelElo is the rating of each level relative to the others: the sum of the differences
// between neighbours, see STRENGTH.md. The lowest level is 500 by definition: the scale is
// not tied to any other rating, and differences between versions of one engine are larger
// than those against people.
var levelElo = [MaxSkill + 1]int{
	MinElo, 570, 670, 870, 970, 1050, 1180, 1290, 1520, 1810, 1970,
	2190, 2410, 2550, 2690, 2880, 3040, 3150, 3310, 3390, MaxElo,
}

// The scale of [StrengthFromElo]: the ratings of the lowest level and of full strength.
const (
	MinElo = 500
	MaxElo = 3450
)
