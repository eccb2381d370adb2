package match

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/engine/uci"
	"github.com/zhbot/zhbot/rules"
)

// Self is this program's engine in this process, with options under their UCI names.
type Self struct {
	Name     string // of the program
	Engine   engine.Options
	Overhead time.Duration // subtracted from the clocks
	Seed     uint64        // of the random choices of book moves and of levels below full strength

	search   uci.SearchOptions
	ownBook  bool
	bookFile string // "" is the embedded book
}

// NewSelf returns this program's engine with the embedded network, at full strength.
func NewSelf(name string, threads, hashMB int) (*Self, error) {
	network, err := engine.OpenNetwork("")
	if err != nil {
		return nil, err
	}
	return &Self{
		Name: name, Engine: engine.Options{Threads: threads, HashMB: hashMB, Network: network}, search: uci.DefaultSearchOptions(),
	}, nil
}

// Set sets an option. An unknown name or an invalid value is an error.
func (s *Self) Set(option external.Option) (err error) {
	if known, err := s.search.Set(option.Name, option.Value); known {
		if err == nil && s.search.NodesTime > 0 {
			err = errors.New("want --nodestime, which counts for both engines and the referee")
		}
		return err
	}
	number := func(to *int) error {
		if *to, err = strconv.Atoi(option.Value); err != nil || *to < 1 {
			return errors.New("want a number of at least 1")
		}
		return nil
	}
	switch strings.ToLower(option.Name) {
	case "hash":
		return number(&s.Engine.HashMB)
	case "threads":
		return number(&s.Engine.Threads)
	case "evalfile":
		s.Engine.Network, err = engine.OpenNetwork(option.Value)
		return err
	case "ownbook":
		if s.ownBook = option.Value == "true"; !s.ownBook && option.Value != "false" {
			return errors.New("want true or false")
		}
		return nil
	case "bookfile":
		s.bookFile = option.Value
		return nil
	}
	return errors.New("the engine in this program has the options Hash, Threads, EvalFile, OwnBook, BookFile, MultiPV, Skill Level, UCI_LimitStrength and UCI_Elo")
}

// Side makes the engine a side of a match: it sets Name and Start and completes Command.
func (s *Self) Side(side *Side) error {
	side.Name = s.Name
	if s.Engine.Network != nil {
		side.Name += " with " + engine.NetworkName(s.Engine.Network)
	}
	switch p := s.search; {
	case p.LimitStrength:
		side.Name += fmt.Sprintf(" at Elo %d", p.Elo)
	case p.Skill < engine.MaxSkill:
		side.Name += fmt.Sprintf(" at level %d", p.Skill)
	}
	side.Command += " of " + side.Name
	side.Start = InProcess(side.Name, s.Engine, engine.Limits{
		Overhead: s.Overhead, MultiPV: s.search.MultiPV, Strength: s.search.Strength(s.Seed),
	})
	if !s.ownBook {
		return nil
	}
	name := s.bookFile
	if name == "" || name == "<empty>" {
		name = book.Embedded
	}
	b, err := book.Open(name)
	if err != nil {
		return err
	}
	side.Name += ", " + b.String()
	start := side.Start
	side.Start = func(ctx context.Context) (Player, error) {
		p, err := start(ctx)
		if err != nil {
			return nil, err
		}
		return &bookPlayer{Player: p, books: book.Books{b}, random: rand.New(rand.NewPCG(s.Seed, 0))}, nil
	}
	return nil
}

// bookPlayer plays book moves while there are any.
type bookPlayer struct {
	Player
	books  book.Books
	random *rand.Rand
}

// Search implements [Player].
func (p *bookPlayer) Search(ctx context.Context, g *rules.Game, l engine.Limits) (engine.Result, error) {
	if m, ok := p.books.Pick(g, l.SearchMoves, p.random.IntN); ok {
		return engine.Result{Move: m.Move, Info: engine.Info{Score: engine.Score(m.Score)}}, nil
	}
	return p.Player.Search(ctx, g, l)
}
