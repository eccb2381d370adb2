package human

import (
	"math"
	"math/rand/v2"
)

// Strength is the playing strength of a search. The zero value is full strength.
//
// A level below [MaxLevel] limits the nodes of a search and makes it choose randomly
// among its best root moves. A move that scores d centipawns less than the best is
// exp(-d/t) times as likely, where t is the level's temperature, and excluded beyond a
// few temperatures. Nodes and temperature change geometrically from level to level, so
// that each level is weaker than the next at any time control. Only the scores of the
// last completed depth are compared. The first ply is always searched completely, and a
// mate that was found is played: even the lowest level plays a mate in one that it sees.
type Strength struct {
	levelsBelow float64 // levels below MaxLevel
	seed        uint64
}

// AtLevel returns the strength of a level from 0 to [MaxLevel], which may lie between whole
// ones. The seed and the position determine the choice of moves, so that a
// search is repeatable.
func AtLevel(level float64, seed uint64) Strength {
	return Strength{levelsBelow: MaxLevel - min(max(level, 0), MaxLevel), seed: seed}
}

// AtElo returns the strength of a rating from [MinElo] to [MaxElo] on [SelfPlayScale]. The seed
// is that of [AtLevel].
func AtElo(elo int, seed uint64) Strength {
	scale := SelfPlayScale()
	return AtLevel(scale.Level(float64(elo)), seed)
}

// Full reports whether this is full strength.
func (s Strength) Full() bool { return s.levelsBelow <= 0 }

// Salt returns what sets the level's entries of a transposition table apart from those of others: 0
// at full strength, whose entries would show a weaker level more than it can see.
func (s Strength) Salt() uint64 { return math.Float64bits(max(s.levelsBelow, 0)) * 0x9e3779b97f4a7c15 }

// NodeLimit returns the maximum nodes of a search, 0 for no limit.
func (s Strength) NodeLimit() uint64 {
	if s.Full() {
		return 0
	}
	return uint64(levelNodes * math.Pow(levelNodesFactor, MaxLevel-s.levelsBelow))
}

// Lines returns the number of root moves to choose from.
func (s Strength) Lines() int {
	if s.Full() {
		return 1
	}
	return levelLines + int(s.levelsBelow)/levelsPerLine
}

// Candidate is a root move that may be chosen.
type Candidate struct {
	Score   int // in centipawns
	Hanging int // centipawns that the opponent wins by an exchange on one square after it
}

// Choose returns the index of the root move to play, given the candidates, the best first, and
// the key of the position. It is not for positions with a mate.
func (s Strength) Choose(key uint64, list []Candidate) int {
	if s.Full() || len(list) < 2 {
		return 0
	}
	temperature := levelTemperature * math.Pow(levelTemperatureFactor, MaxLevel-s.levelsBelow)
	care := s.oversight() * hangingCare
	weight := func(c Candidate) float64 {
		worse := float64(max(list[0].Score-c.Score, 0))
		deficit := (worse + care*min(worse, float64(c.Hanging))) / temperature
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

const (
	// The nodes of the lowest level, and the factor from each level to the next.
	levelNodes       = 40
	levelNodesFactor = 1.7
	// The temperature of the lowest level in centipawns, and the factor from each level to
	// the next. Moves that are worse by more than levelMargin temperatures are never
	// played.
	levelTemperature       = 300
	levelTemperatureFactor = 0.8
	levelMargin            = 3
	// The choice is among levelLines moves, and one more for every levelsPerLine levels
	// below full strength.
	levelLines    = 2
	levelsPerLine = 3
	// Levels from carefulLevels on overlook nothing; see [Strength.oversight]. What follows is for the
	// lowest level, and declines evenly up to there: how likely it overlooks moves, and plays by the
	// static evaluation, and how much more what it leaves hanging counts for it.
	carefulLevels          = 13
	distantDropOverlooked  = 0.7
	distantCheckOverlooked = 0.5
	dropOverlooked         = 0.4
	staticEvalShare        = 0.3
	hangingCare            = 3
)

// The scale of [AtElo]: the ratings of the lowest level and of full strength.
const (
	MinElo = 500
	MaxElo = 3280
)
