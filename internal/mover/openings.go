package mover

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/rules"
)

// openings choose moves without a search. They are asked by all games at once.
type openings struct {
	books    atomic.Pointer[book.Books]
	explorer *Explorer       // nil if it is not to be asked
	draw     func(n int) int // a random number from 0 to n-1
}

// newOpenings opens books.
func newOpenings(paths []string, e *Explorer) (*openings, error) {
	books, err := loadBooks(paths)
	o := &openings{explorer: e, draw: rand.IntN}
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

// pick returns a move for the game's position, if one is known and may be played: from the
// books, then from the explorer, and first of all a fresh one. Pondering is for the
// search, and so is a position that may have panicked here.
func (o *openings) pick(ctx context.Context, g *rules.Game, l game.SearchLimits) (rules.Move, bool) {
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
		if m, ok := o.explorer.Pick(ctx, g, explorerWait(&l.Limits, g.Position().Turn()), allowed, o.draw); ok {
			return m, true
		}
	}
	return rules.NoMove, false
}

// Limits on the wait for the explorer, which reduces the time for the search.
const (
	explorerMinClock = 20 * time.Second // with less on the clock there is no request
	explorerShare    = 50               // of the clock, one part for a request,
	explorerMaxWait  = time.Second      // and never more than this
)

// explorerWait returns how long to wait for an answer, 0 if there is no time for a
// request.
func explorerWait(l *engine.Limits, us rules.Color) time.Duration {
	wait := explorerMaxWait
	if own := *l.Clock(us); own > 0 {
		if own < explorerMinClock {
			return 0
		}
		wait = min(wait, own/explorerShare)
	}
	if l.MoveTime > 0 {
		wait = min(wait, l.MoveTime/2)
	}
	return wait
}
