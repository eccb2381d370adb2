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
			var list rules.MoveList
			p.Generate(&list, rules.All)
			if n--; n == 0 || list.Len() == 0 {
				break
			}
			var next rules.Position
			p.PlayInto(list.At(r.IntN(list.Len())), &next)
			p = next
		}
	}
}
