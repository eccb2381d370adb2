package match

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/engine/uci"
	"github.com/zhbot/zhbot/rules"
)

// UseSelf makes this program's engine, in this process, the engine of a side: it sets Start
// and Name, and completes Command. It has the UCI options except nodestime, which is part
// of a [Limit]. The seed determines the random choices of levels below full strength and,
// with the number of the game, of book moves. The name contains the program, the network,
// the strength and the book. The command contains the hash of the book: a rebuilt book
// makes another engine.
func (s *Side) UseSelf(program string, o uci.Options, seed uint64) error {
	s.Name = program + " with " + o.Engine.Network.Name()
	switch {
	case o.LimitStrength:
		s.Name += fmt.Sprintf(" at Elo %d", o.Elo)
	case o.Skill < human.MaxLevel:
		s.Name += fmt.Sprintf(" at level %d", o.Skill)
	}
	s.Command += " of " + s.Name
	books, err := o.Books()
	if err != nil {
		return err
	}
	for _, b := range books {
		s.Name += ", " + b.String()
		s.Command += ", book " + b.Hash()
	}
	name := s.Name
	s.Start = func(context.Context) (Player, error) {
		return &inProcess{
			name: name, options: o, strength: o.Strength(seed), engine: engine.New(o.Engine),
			books: books, seed: seed, random: rand.New(rand.NewPCG(seed, 0)),
		}, nil
	}
	return nil
}

// inProcess is this program's engine. It plays book moves while there are any.
type inProcess struct {
	name     string
	options  uci.Options
	strength human.Strength
	engine   *engine.Engine
	books    book.Books
	seed     uint64
	random   *rand.Rand // of book moves
}

func (p *inProcess) Name() string { return p.name }

func (p *inProcess) NewGame(context.Context) error {
	p.engine.Clear()
	return nil
}

// SetGame makes the random choices those of a game, whatever was played before.
func (p *inProcess) SetGame(number int) error {
	p.random = rand.New(rand.NewPCG(p.seed, uint64(number)))
	return nil
}

// SetOption sets a UCI option for the next games.
func (p *inProcess) SetOption(o external.Option) error {
	if err := p.options.Set(o.Name, o.Value); err != nil {
		return fmt.Errorf("option %s=%s: %w", o.Name, o.Value, err)
	}
	p.engine.SetParameters(p.options.Engine.Parameters)
	p.strength = p.options.Strength(p.seed)
	return nil
}

func (p *inProcess) Search(ctx context.Context, g *rules.Game, l engine.Limits) (engine.Result, error) {
	if m, ok := p.books.Pick(g, l.SearchMoves, p.random.IntN); ok {
		return engine.Result{Move: m.Move, Info: engine.Info{Score: engine.Score(m.Score)}}, nil
	}
	l.Overhead, l.MultiPV, l.Strength = p.options.Overhead, p.options.MultiPV, p.strength
	start := time.Now()
	r, err := p.engine.Search(ctx, g, l, nil)
	r.Info.Time = time.Since(start)
	return r, err
}

func (p *inProcess) Close() error { return nil }
