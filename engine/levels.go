package engine

// levelElo is what the levels are worth among themselves, measured in matches of
// neighbours; STRENGTH.md has them.
var levelElo = [MaxSkill + 1]int{
	500, 600, 700, 800, 900, 1000, 1100, 1200, 1300, 1400, 1500,
	1600, 1700, 1800, 1900, 2000, 2100, 2200, 2300, 2400, 2500,
}

// The scale of [Elo]: its ends are the lowest level and full strength.
const (
	MinElo = 500
	MaxElo = 2500
)
