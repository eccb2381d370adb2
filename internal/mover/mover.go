// Package mover chooses the bot's moves: from opening books, from Lichess's opening
// explorer, or by a search of our engine or another program. [Mover] implements
// [game.Engine]; a [Pool] keeps the other program running.
package mover

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/rules"
)

// Mover finds moves for the bot. It is shared by all games.
type Mover struct {
	openings *openings
	searcher

	contenders map[string]*Mover // by name
	searchers  []searcher        // of this mover and of all contenders
	needed     map[string]*Pool  // the programs that may play new games, by their section of the settings
}

// Options configure a mover beside the settings. The zero value is ready to use.
type Options struct {
	UserAgent    string // names this program to the opening explorer
	Log          zerolog.Logger
	StartProgram func(external.Command) (Process, error) // see [PoolOptions]; nil for the usual way
}

// Settings configure how a mover finds moves.
type Settings struct {
	opts    Options
	Books   []string // asked before a search; see [book.OpenBooks]
	Network string   // of our search; see [engine.OpenNetwork]
	Skill   int      // level of our search, [config.MaxSkill] for full strength
	Threads int      // of all searches together
	HashMB  int      // of all searches together

	// Command is a program that speaks UCI and searches instead of our engine, which is the
	// fallback; "" for none.
	Command   string
	Options   []string // of the program, each "Name=Value"
	Processes int      // of the program
}

// SettingsOf returns the settings of a configuration on this machine.
func SettingsOf(c *config.Config) Settings {
	return Settings{
		Books: c.Engine.Book, Network: c.Engine.Network, Skill: c.Engine.Skill,
		Threads: c.Engine.SearchThreads(Cores()), HashMB: c.HashSize(Memory(), Cores()),
		Command: c.Engine.Command, Options: c.Engine.Options, Processes: c.Engine.ProcessCount(c.Games.Max),
	}
}

// New returns the mover of a configuration, and gives Go's scheduler two threads more
// than the search has, so that sockets are read in time.
func New(ctx context.Context, c *config.Config, o Options) (*Mover, error) {
	e, err := NewExplorer(c, o)
	if err != nil {
		return nil, err
	}
	s := SettingsOf(c)
	s.opts = o
	runtime.GOMAXPROCS(s.Threads + 2)
	s.HashMB = s.hashShare(c.Contenders)
	p, err := s.newMover(ctx, e)
	if err != nil {
		e.Close()
		return nil, err
	}
	if err := p.addContenders(ctx, c.Contenders, s); err != nil {
		p.Close()
		return nil, err
	}
	p.startPrograms(c.Contenders)
	return p, nil
}

// startPrograms starts the programs that may play new games: those of contenders with a
// weight; if there is none, that of p. Others wait for the first search of a game that an
// earlier run has begun.
func (p *Mover) startPrograms(list []config.Contender) {
	movers := map[string]*Mover{}
	for i, k := range list {
		if k.Weight > 0 {
			movers[fmt.Sprintf("contenders[%d]: ", i)] = p.contenders[k.Name]
		}
	}
	if len(movers) == 0 {
		movers[""] = p
	}
	p.needed = map[string]*Pool{}
	for section, k := range movers {
		if k.program != nil {
			k.program.pool.Start()
			p.needed[section] = k.program.pool
		}
	}
}

// AwaitReady waits until all programs that may play new games are ready. It fails if one
// cannot be used; see [Pool.AwaitReady].
func (p *Mover) AwaitReady(ctx context.Context) error {
	waits, ctx := errgroup.WithContext(ctx)
	for section, pool := range p.needed {
		waits.Go(func() error {
			if err := pool.AwaitReady(ctx); err != nil {
				return fmt.Errorf("%s%w", section, err)
			}
			return nil
		})
	}
	return waits.Wait()
}

// newMover returns a mover with the settings. The explorer, which may be nil, is asked
// where the books end.
func (s Settings) newMover(ctx context.Context, e *Explorer) (*Mover, error) {
	o, err := newOpenings(s.Books, e)
	if err != nil {
		return nil, err
	}
	found, err := s.searcher(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &Mover{openings: o, searcher: found, searchers: []searcher{found}}, nil
}

// Prepare opens the books of changed settings, and returns a function that puts them in
// use. If one cannot be read, the old ones stay, and the log says so.
func (p *Mover) Prepare(s *config.Engine, log zerolog.Logger) (apply func()) {
	books, err := loadBooks(s.Book)
	if err != nil {
		log.Error().Err(err).Msg("books not reloaded: the old ones stay")
		return func() {}
	}
	return func() { p.openings.books.Store(books) }
}

// Close ends the connections to the opening explorer, and the program that searches.
func (p *Mover) Close() {
	p.openings.explorer.Close()
	for _, s := range p.searchers {
		if s.program != nil {
			s.program.pool.Close()
		}
	}
}

// Kill kills the programs that search at once, without waiting for anything.
func (p *Mover) Kill() {
	for _, s := range p.searchers {
		if s.program != nil {
			s.program.pool.Kill()
		}
	}
}

// Search implements game.Engine. A book move has no depth and no score.
func (p *Mover) Search(ctx context.Context, g *rules.Game, l game.SearchLimits, report func(event.SearchInfo)) (game.SearchResult, error) {
	if c := p.contenders[l.Contender]; c != nil {
		p = c
	}
	start := time.Now()
	if m, ok := p.openings.pick(ctx, g, l); ok {
		return game.SearchResult{Move: m}, nil
	}
	return p.search(ctx, g, subtractElapsed(l, g.Position().Turn(), time.Since(start)), report)
}

// EndGame implements game.Engine.
func (p *Mover) EndGame(id string) {
	for _, s := range p.searchers {
		if s.program != nil {
			s.program.pool.EndGame(id)
		}
	}
}

// subtractElapsed returns what limits leave once some time is gone.
func subtractElapsed(l game.SearchLimits, us rules.Color, spent time.Duration) game.SearchLimits {
	own := &l.White
	if us == rules.Black {
		own = &l.Black
	}
	for _, left := range []*time.Duration{own, &l.MoveTime} {
		if *left > 0 { // 0 is no limit
			*left = max(*left-spent, time.Millisecond)
		}
	}
	return l
}
