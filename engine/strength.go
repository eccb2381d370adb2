package engine

import (
	"math"
	"math/rand/v2"

	"github.com/zhbot/zhbot/engine/level"
)

// MaxSkill is the skill level of full strength.
const MaxSkill = level.Max

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

// StrengthFromLevel returns the strength of a level from 0 to [MaxSkill], which may lie
// between whole ones. The seed and the position determine the choice of moves, so that a
// search is repeatable.
func StrengthFromLevel(level float64, seed uint64) Strength {
	return Strength{levelsBelow: MaxSkill - min(max(level, 0), MaxSkill), seed: seed}
}

// StrengthFromElo returns the strength of a rating from [MinElo] to [MaxElo] on the scale of
// [level.SelfPlay]. The seed is that of [StrengthFromLevel].
func StrengthFromElo(elo int, seed uint64) Strength {
	scale := level.SelfPlay()
	return StrengthFromLevel(scale.Level(float64(elo)), seed)
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

// candidate is a root move that may be chosen.
type candidate struct {
	score   int
	hanging int // what the opponent wins by an exchange on one square after it
}

// chooseLine returns the index of the root move to play, given the candidates, the best
// first, and the key of the position.
func (s Strength) chooseLine(key uint64, list []candidate) int {
	if s.full() || len(list) < 2 || abs(list[0].score) >= mateBound {
		return 0
	}
	temperature := levelTemperature * math.Pow(levelTemperatureFactor, MaxSkill-s.levelsBelow)
	care := s.oversight() * hangingCare
	weight := func(c candidate) float64 {
		worse := float64(max(list[0].score-c.score, 0))
		deficit := (worse + care*min(worse, float64(c.hanging))) / temperature
		if deficit > levelMargin {
			return 0
		}
		return math.Exp(-deficit)
	}
	sum := 0.0
	for _, c := range list {
		sum += weight(c)
	}
	remaining := sum * rand.New(rand.NewPCG(s.seed, key)).Float64()
	for i, c := range list {
		if remaining -= weight(c); remaining < 0 {
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

// The scale of [StrengthFromElo]: the ratings of the lowest level and of full strength.
const (
	MinElo = 500
	MaxElo = 3330
)
