package mover

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/rules"
)

// openings choose moves from books. They are asked by all games at once.
type openings struct {
	books atomic.Pointer[book.Books]
	draw  func(n int) int // a random number from 0 to n-1
}

// newOpenings opens books.
func newOpenings(paths []string) (*openings, error) {
	books, err := loadBooks(paths)
	o := &openings{draw: rand.IntN}
	o.books.Store(books)
	return o, err
}

func loadBooks(paths []string) (*book.Books, error) {
	books, err := book.OpenBooks(paths)
	if err != nil {
		return nil, fmt.Errorf("engine.book: %w", err)
	}
	return &books, nil
}

// pick returns a move for the game's position, if one is known and may be played, and first of
// all a fresh one. Pondering is for the search, and so is a position that may have panicked here.
func (o *openings) pick(g *rules.Game, l game.SearchLimits) (rules.Move, bool) {
	if l.Ponder || l.Plain {
		return rules.NoMove, false
	}
	choices := [][]rules.Move{l.SearchMoves}
	if l.Fresh != nil {
		choices = [][]rules.Move{l.Fresh, l.SearchMoves}
	}
	for _, allowed := range choices {
		if m, ok := o.books.Load().Pick(g, allowed, o.draw); ok {
			return m.Move, true
		}
	}
	return rules.NoMove, false
}
