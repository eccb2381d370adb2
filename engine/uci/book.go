package uci

import (
	"math/rand/v2"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
)

// setBook opens a book file; the protocol's "<empty>" stands for the embedded book. After
// an error the previous book stays.
func setBook(to *book.Book, path string) error {
	if path == "" || path == "<empty>" {
		*to = nil
		return nil
	}
	b, err := book.Open(path)
	if err == nil {
		*to = b
	}
	return err
}

// playBookMove answers go with a book move, if the book is enabled and has one. Endless
// searches and searches for mate ignore the book.
func (c *session) playBookMove(l engine.Limits) bool {
	if !c.options.ownBook || isEndless(l) || l.Mate > 0 {
		return false
	}
	b := c.options.book
	if b == nil {
		embedded, err := book.Open(book.Embedded)
		if err != nil {
			c.out.writeError(err)
			return false
		}
		b = embedded
	}
	random := c.server.Draw
	if random == nil {
		random = rand.IntN
	}
	m, ok := book.Books{b}.Pick(c.game, l.SearchMoves, random)
	if !ok {
		return false
	}
	move := moveWriter{chess960: c.options.chess960}.move(c.game.Position(), m.Move)
	c.out.writeLine("info string book move, weight %d", m.Weight)
	c.out.writeLine("info depth 0 score cp %d pv %s", m.Score, move)
	c.out.writeLine("bestmove %s", move)
	return true
}
