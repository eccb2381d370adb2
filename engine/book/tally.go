package book

import (
	"math"

	"github.com/zhbot/zhbot/rules"
)

// Tally counts the moves of games and makes a book of them.
type Tally struct {
	plies int
	moves map[tallyKey]*tallied
}

type tallyKey struct {
	position uint64
	move     rules.Move
}

type tallied struct{ games, points int } // two points for a win, one for a draw

// NewTally returns a tally of the first so many plies of games.
func NewTally(plies int) *Tally {
	return &Tally{plies: plies, moves: map[tallyKey]*tallied{}}
}

// Result is how a game ended for White: 2 for a win, 1 for a draw, 0 for a loss.
type Result int

// The results.
const (
	WhiteLost Result = iota
	Drawn
	WhiteWon
)

// Add counts a game. A position that came twice counts twice.
func (t *Tally) Add(start *rules.Position, moves []rules.Move, r Result) {
	p := *start
	for _, m := range moves[:min(len(moves), t.plies)] {
		key := tallyKey{p.Key(), m}
		n := t.moves[key]
		if n == nil {
			n = new(tallied)
			t.moves[key] = n
		}
		n.games++
		if p.Turn() == rules.White {
			n.points += int(r)
		} else {
			n.points += int(WhiteWon - r)
		}
		p = p.After(m)
	}
}

// Table returns a book of the moves that were played in so many games at least
// and have not only lost. As in Polyglot books, a weight is two for each win and one for
// each draw, scaled down where that does not fit.
func (t *Tally) Table(minGames int, note string) (*Table, error) {
	most := map[uint64]int{} // points of a position's best move
	for key, n := range t.moves {
		most[key.position] = max(most[key.position], n.points)
	}
	var entries []entry
	for key, n := range t.moves {
		if n.games < minGames || n.points == 0 {
			continue
		}
		weight := n.points
		if top := most[key.position]; top > math.MaxUint16 {
			weight = max(1, int(int64(weight)*math.MaxUint16/int64(top)))
		}
		entries = append(entries, entry{
			key: key.position, move: key.move, weight: uint16(weight), games: uint32(min(n.games, math.MaxUint32)),
		})
	}
	return newTable(note, entries)
}
