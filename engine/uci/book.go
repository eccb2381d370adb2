package uci

import (
	"math/rand/v2"

	"github.com/zhbot/zhbot/engine"
)

// playBookMove answers go with a book move, if the book is enabled and has one. Endless
// searches and searches for mate ignore the book.
func (c *session) playBookMove(l engine.Limits) bool {
	if isEndless(l) || l.Mate > 0 {
		return false
	}
	books, err := c.options.Books()
	if err != nil {
		c.out.writeError(err)
	}
	m, ok := books.Pick(c.game, l.SearchMoves, rand.IntN)
	if !ok {
		return false
	}
	move := c.game.Position().UCI(m.Move)
	c.out.writeLine("info string book move, weight %d", m.Weight)
	c.out.writeLine("info depth 0 score cp %d pv %s", m.Score, move)
	c.out.writeLine("bestmove %s", move)
	return true
}
