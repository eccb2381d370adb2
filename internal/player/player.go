// Package player chooses the bot's moves: from opening books, from Lichess's opening
// explorer, or by a search of our engine or another program. [Player] implements
// [search.Engine].
package player

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/zhbot/zhbot/bot/search"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/internal/bridge"
	"github.com/zhbot/zhbot/internal/explorer"
	"github.com/zhbot/zhbot/internal/resources"
	"github.com/zhbot/zhbot/rules"
)

// Player finds moves for the bot. It is shared by all games.
type Player struct {
	openings *openings
	searcher

	contenders map[string]*Player      // by name
	searchers  []searcher              // of this player and of all contenders
	needed     map[string]*bridge.Pool // the programs that may play new games, by their section of the settings
}

// Settings configure how a player finds moves.
type Settings struct {
	Books   []string // asked before a search; see [book.OpenBooks]
	Network string   // of our search; see [engine.OpenNetwork]
	Skill   int      // level of our search, [config.MaxSkill] for full strength
	Threads int      // of all searches together
	HashMB  int      // of all searches together

	// Command is a program that speaks UCI and searches instead of our engine, which is the
	// fallback; "" for none.
	Command      string
	Options      []string                                       // of the program, each "Name=Value"
	Processes    int                                            // of the program
	StartProgram func(external.Command) (bridge.Process, error) // see [bridge.Options]; nil for the usual way
}

// SettingsOf returns the settings of a configuration on this machine.
func SettingsOf(c *config.Config) Settings {
	return Settings{
		Books: c.Search.Book, Network: c.Engine.Network, Skill: c.Engine.Skill,
		Threads: c.Engine.SearchThreads(resources.Cores()), HashMB: c.HashSize(resources.Memory(), resources.Cores()),
		Command: c.Engine.Command, Options: c.Engine.Options, Processes: c.Engine.ProcessCount(c.Games.Max),
	}
}

// New returns the player of a configuration, and gives Go's scheduler two threads more
// than the search has, so that sockets are read in time.
func New(ctx context.Context, c *config.Config, log zerolog.Logger, tune ...func(*Settings)) (*Player, error) {
	e, err := explorer.New(c, log)
	if err != nil {
		return nil, err
	}
	s := SettingsOf(c)
	for _, f := range tune {
		f(&s)
	}
	runtime.GOMAXPROCS(s.Threads + 2)
	s.HashMB = s.hashShare(c.Contenders)
	p, err := s.player(ctx, e, log)
	if err != nil {
		e.Close()
		return nil, err
	}
	if err := p.addContenders(ctx, c.Contenders, s, log); err != nil {
		p.Close()
		return nil, err
	}
	p.startPrograms(c.Contenders)
	return p, nil
}

// startPrograms starts the programs that may play new games: those of contenders with a
// weight; if there is none, that of p. Others wait for the first search of a game that an
// earlier run has begun.
func (p *Player) startPrograms(list []config.Contender) {
	players := map[string]*Player{}
	for i, k := range list {
		if k.Weight > 0 {
			players[fmt.Sprintf("contenders[%d]: ", i)] = p.contenders[k.Name]
		}
	}
	if len(players) == 0 {
		players[""] = p
	}
	p.needed = map[string]*bridge.Pool{}
	for section, k := range players {
		if k.program != nil {
			k.program.pool.Start()
			p.needed[section] = k.program.pool
		}
	}
}

// AwaitReady waits until all programs that may play new games are ready. It fails if one
// cannot be used; see [bridge.Pool.AwaitReady].
func (p *Player) AwaitReady(ctx context.Context) error {
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

// player returns a player with the settings. The explorer, which may be nil, is asked
// where the books end.
func (s Settings) player(ctx context.Context, e *explorer.Explorer, log zerolog.Logger) (*Player, error) {
	o, err := newOpenings(s.Books, e)
	if err != nil {
		return nil, err
	}
	found, err := s.searcher(ctx, nil, log)
	if err != nil {
		return nil, err
	}
	return &Player{openings: o, searcher: found, searchers: []searcher{found}}, nil
}

// Prepare opens the books of changed settings, and returns a function that puts them in
// use. If one cannot be read, the old ones stay, and the log says so.
func (p *Player) Prepare(s *config.Search, log zerolog.Logger) (apply func()) {
	books, err := loadBooks(s.Book)
	if err != nil {
		log.Error().Err(err).Msg("books not reloaded: the old ones stay")
		return func() {}
	}
	return func() { p.openings.books.Store(books) }
}

// Close ends the connections to the opening explorer, and the program that searches.
func (p *Player) Close() {
	p.openings.explorer.Close()
	for _, s := range p.searchers {
		if s.program != nil {
			s.program.pool.Close()
		}
	}
}

// Kill kills the programs that search at once, without waiting for anything.
func (p *Player) Kill() {
	for _, s := range p.searchers {
		if s.program != nil {
			s.program.pool.Kill()
		}
	}
}

// Search implements search.Engine. A book move has no depth and no score.
func (p *Player) Search(ctx context.Context, g *rules.Game, l search.Limits, report func(search.Info)) (search.Result, error) {
	if c := p.contenders[l.Contender]; c != nil {
		p = c
	}
	start := time.Now()
	if m, ok := p.openings.pick(ctx, g, l); ok {
		return search.Result{Move: m}, nil
	}
	return p.search(ctx, g, subtractElapsed(l, g.Position().Turn(), time.Since(start)), report)
}

// EndGame implements search.Engine.
func (p *Player) EndGame(id string) {
	for _, s := range p.searchers {
		if s.program != nil {
			s.program.pool.EndGame(id)
		}
	}
}

// subtractElapsed returns what limits leave once some time is gone.
func subtractElapsed(l search.Limits, us rules.Color, spent time.Duration) search.Limits {
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
