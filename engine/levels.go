package engine

// levelElo is what the levels are worth among themselves; odd ones lie halfway
// between their neighbours. Up to level 12 it follows matches of neighbours, see
// STRENGTH.md; beyond it assumes 250 for two levels, each with 2.9 times the nodes
// of the one before. The lowest level is 500 by definition: the scale is tied to
// no other rating, and differences between versions of one engine are larger than
// those against people.
var levelElo = [MaxSkill + 1]int{
	MinElo, 590, 680, 810, 940, 1050, 1150, 1380, 1600, 1820, 2030,
	2220, 2410, 2540, 2660, 2790, 2910, 3040, 3160, 3280, MaxElo,
}

// The scale of [StrengthFromElo]: its ends are the lowest level and full strength.
const (
	MinElo = 500
	MaxElo = 3400
)
