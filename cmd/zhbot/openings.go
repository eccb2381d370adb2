package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/rules"
)

// openings choose moves without a search. They are asked by all games at once.
type openings struct {
	books atomic.Pointer[book.Shelf]
	draw  func(n int) int // a random number from 0 to n-1
}

// newOpenings opens the configured books.
func newOpenings(c *config.Config) (*openings, error) {
	o := &openings{draw: rand.IntN}
	return o, o.open(c)
}

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

// pick returns a move for the game's position, if one is known and may be played.
// Pondering is for the search.
func (o *openings) pick(_ context.Context, g *rules.Game, l bot.Limits) (rules.Move, bool) {
	if l.Ponder {
		return rules.NoMove, false
	}
	m, ok := o.books.Load().Pick(g, l.Moves, o.draw)
	return m.Move, ok
}
