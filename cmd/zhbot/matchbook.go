package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/engine/match"
	"github.com/zhbot/zhbot/engine/uci"
	"github.com/zhbot/zhbot/rules"
)

// bookOptions are the UCI options about books, of our engine in this process.
type bookOptions struct {
	own  bool
	file string // "" is the book in the program
}

// set sets one of the options; it reports whether it is one.
func (o *bookOptions) set(option uci.Option) (known bool, err error) {
	switch strings.ToLower(option.Name) {
	case "ownbook":
		if o.own = option.Value == "true"; !o.own && option.Value != "false" {
			err = errors.New("want true or false")
		}
		return true, err
	case "bookfile":
		o.file = option.Value
		return true, nil
	}
	return false, nil
}

// addBook lets the players of a side play from the book, if they are to.
func (o bookOptions) addBook(side *match.Side, seed uint64) error {
	if !o.own {
		return nil
	}
	name := o.file
	if name == "" || name == "<empty>" {
		name = book.Embedded
	}
	b, err := book.Open(name)
	if err != nil {
		return err
	}
	side.Name += ", " + b.String()
	start := side.Start
	side.Start = func(ctx context.Context) (match.Player, error) {
		p, err := start(ctx)
		if err != nil {
			return nil, err
		}
		return &bookPlayer{Player: p, books: book.NewShelf(b), random: rand.New(rand.NewPCG(seed, 0))}, nil
	}
	return nil
}

// bookPlayer plays from a book while it can. One plays one game at a time.
type bookPlayer struct {
	match.Player
	books  *book.Shelf
	random *rand.Rand
}

// Search implements match.Player.
func (p *bookPlayer) Search(ctx context.Context, g *rules.Game, l engine.Limits) (engine.Result, error) {
	if m, ok := p.books.Pick(g, l.SearchMoves, p.random.IntN); ok {
		return engine.Result{Move: m.Move, Info: engine.Info{Score: engine.Score(m.Score)}}, nil
	}
	return p.Player.Search(ctx, g, l)
}
