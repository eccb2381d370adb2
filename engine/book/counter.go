package book

import (
	"math"

	"github.com/zhbot/zhbot/rules"
)

// Counter counts the moves played in games and makes a book from them.
type Counter struct {
	plies int
	moves map[counterKey]moveStats
}

type counterKey struct {
	position uint64
	move     rules.Move
}

type moveStats struct{ games, points int } // two points for a win, one for a draw

// NewCounter returns a counter of the first plies of each game.
func NewCounter(plies int) *Counter {
	return &Counter{plies: plies, moves: map[counterKey]moveStats{}}
}

// Add counts a finished game that started from a position. A move that is played again in
// a repeated position counts once.
func (c *Counter) Add(start *rules.Position, moves []rules.Move, r rules.Result) {
	p, counted := *start, map[counterKey]bool{}
	for _, m := range moves[:min(len(moves), c.plies)] {
		key := counterKey{p.Key(), m}
		if !counted[key] {
			counted[key] = true
			played := c.moves[key]
			played.games++
			played.points += int(2 * r.Points(p.Turn()))
			c.moves[key] = played
		}
		p = p.After(m)
	}
}

// Table returns a book of the moves that were played in at least minGames games and did
// not lose all of them. As in Polyglot books, the weight is two for each win and one for
// each draw, scaled down where that does not fit.
func (c *Counter) Table(minGames int, note string) (*Table, error) {
	maxPoints := map[uint64]int{} // points of a position's best move
	for key, n := range c.moves {
		maxPoints[key.position] = max(maxPoints[key.position], n.points)
	}
	var entries []entry
	for key, n := range c.moves {
		if n.games < minGames || n.points == 0 {
			continue
		}
		weight := n.points
		if best := maxPoints[key.position]; best > math.MaxUint16 {
			weight = max(1, int(int64(weight)*math.MaxUint16/int64(best)))
		}
		entries = append(entries, entry{
			key: key.position, move: key.move, weight: uint16(weight),
			games: uint32(min(int64(n.games), math.MaxUint32)),
		})
	}
	return newTable(note, entries)
}
