package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/search"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/rules"
)

// openings choose moves without a search. They are asked by all games at once.
type openings struct {
	books    atomic.Pointer[book.Shelf]
	explorer *explorer       // nil if it is not to be asked
	draw     func(n int) int // a random number from 0 to n-1
}

// newOpenings opens the configured books.
func newOpenings(c *config.Config, log zerolog.Logger) (*openings, error) {
	o := &openings{draw: rand.IntN}
	if err := o.open(c); err != nil {
		return nil, err
	}
	var err error
	o.explorer, err = newExplorer(c, log)
	return o, err
}

func (o *openings) close() { o.explorer.close() }

func (o *openings) open(c *config.Config) error {
	shelf, err := book.OpenShelf(c.Engine.Book)
	if err != nil {
		return fmt.Errorf("engine.book: %w", err)
	}
	o.books.Store(shelf)
	return nil
}

// reload opens the books of changed settings. If one cannot be read, the old ones
// stay.
func (o *openings) reload(c *config.Config, log zerolog.Logger) {
	if err := o.open(c); err != nil {
		log.Error().Err(err).Msg("books not reloaded: the old ones stay")
	}
}

// pick returns a move for the game's position, if one is known and may be played:
// from the books, then from the explorer. Pondering is for the search, and so is a
// position that may have panicked here.
func (o *openings) pick(ctx context.Context, g *rules.Game, l search.Limits) (rules.Move, bool) {
	if l.Ponder || l.Plain {
		return rules.NoMove, false
	}
	if m, ok := o.books.Load().Pick(g, l.Moves, o.draw); ok {
		return m.Move, true
	}
	return o.explorer.pick(ctx, g, l, o.draw)
}
