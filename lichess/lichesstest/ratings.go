package lichesstest

import "math"

// eloStep is how many points a win between equal players gains.
const eloStep = 10

// rate changes the players' ratings by the Elo formula, which stands in for
// Lichess's Glicko 2, and counts the game.
func (g *game) rate() {
	for _, u := range g.players {
		u.games++
	}
	if !g.spec.Rated {
		return
	}
	expected := 1 / (1 + math.Pow(10, float64(g.rating[1]-g.rating[0])/400))
	score := map[string]float64{"white": 1, "black": 0, "": 0.5}[g.winner]
	diff := int(math.Round(2 * eloStep * (score - expected)))
	g.diff = [2]int{diff, -diff}
	g.players[0].rating += diff
	g.players[1].rating -= diff
}
