package engine

import (
	"math/rand/v2"

	"github.com/zhbot/zhbot/rules"
)

// forRandomPositions plays random games from the start and calls f for every
// position in them, until f has seen n.
func forRandomPositions(seed uint64, n int, f func(p *rules.Position)) {
	const longest = 160
	r := rand.New(rand.NewPCG(seed, seed))
	for n > 0 {
		p := rules.StartPosition()
		for range longest {
			f(&p)
			moves := p.LegalMoves()
			if n--; n == 0 || len(moves) == 0 {
				break
			}
			p = p.After(moves[r.IntN(len(moves))])
		}
	}
}
