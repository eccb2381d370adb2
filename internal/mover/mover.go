// Package mover chooses the bot's moves: from opening books, or by a search of our engine or
// another program. [Mover] implements [game.Engine]; a pool keeps the other program running.
package mover

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/analysis"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// Mover finds moves for the bot. It is shared by all games.
type Mover struct {
	openings *openings
	*searcher

	contenders map[string]*Mover // by name
	programs   []*pool           // of this mover and of all contenders
	needed     map[string]*pool  // those that may play new games, by their section of the settings
}

// Options configure a mover beside the settings. The zero value is ready to use.
type Options struct {
	Log          zerolog.Logger
	StartProgram func(external.Command) (Process, error) // nil for [external.Command.Start]
}

// EngineSettings returns the settings of the engine with the threads that they mean on this
// machine, and its part of the memory.
func EngineSettings(c *config.Config) config.Engine {
	e := c.Engine
	e.Threads, e.HashMB = e.SearchThreads(Cores()), c.HashSize(Memory(), Cores())
	e.HashMB, _ = divide(e, c.Contenders)
	return e
}

// New returns the mover of a configuration, and gives Go's scheduler two threads more
// than the search has, so that sockets are read in time.
func New(ctx context.Context, c *config.Config, o Options) (_ *Mover, err error) {
	e := EngineSettings(c)
	runtime.GOMAXPROCS(e.Threads + 2)
	m := new(Mover)
	if m.openings, err = newOpenings(e.Book); err == nil {
		m.searcher, err = m.newSearcher(ctx, c, e, nil, o)
	}
	if err == nil {
		err = m.addContenders(ctx, c, e, o)
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	m.startPrograms(c.Contenders)
	return m, nil
}

// newSearcher makes the searcher of the settings. A program starts with its first search,
// unless it is started before. Our engine shares the threads of share, unless that is nil.
func (m *Mover) newSearcher(ctx context.Context, c *config.Config, e config.Engine, share *engine.Engine,
	o Options) (*searcher, error) {
	s := &searcher{log: o.Log}
	if e.Command != "" {
		program := ProgramSettings(c, e)
		s.program = newPool(ctx, program, c.Games.Max, o)
		m.programs = append(m.programs, s.program)
		e.HashMB -= program.HashMB
	}
	var err error
	if s.network, err = engine.OpenNetwork(e.Network); err != nil {
		return nil, fmt.Errorf("engine.network: %w", err)
	}
	if share != nil {
		s.engine = share.NewSharing(e.HashMB, s.network)
	} else {
		s.engine = engine.New(engine.Options{Threads: e.Threads, HashMB: e.HashMB, Network: s.network})
	}
	return s, nil
}

// startPrograms starts the programs that may play new games: those of contenders with a
// weight, and that of m unless they are for all games. Others wait for the first search of a
// game that an earlier run has begun.
func (m *Mover) startPrograms(list []config.Contender) {
	players := map[string]*Mover{} // by their section of the settings
	for i, k := range list {
		if k.Weight > 0 {
			players[fmt.Sprintf("contenders[%d]: ", i)] = m.contenders[k.Name]
		}
	}
	if !config.AreForAllGames(list) {
		players[""] = m
	}
	m.needed = map[string]*pool{}
	for section, player := range players {
		if player.program != nil {
			player.program.Start()
			m.needed[section] = player.program
		}
	}
}

// AwaitReady waits until all programs that may play new games are ready. It fails if one
// cannot be used; see pool.AwaitReady.
func (m *Mover) AwaitReady(ctx context.Context) error {
	waits, ctx := errgroup.WithContext(ctx)
	for section, program := range m.needed {
		waits.Go(func() error {
			if err := program.AwaitReady(ctx); err != nil {
				return fmt.Errorf("%s%w", section, err)
			}
			return nil
		})
	}
	return waits.Wait()
}

// Prepare opens the books of changed settings, and returns a function that puts them, and
// the number of games, in use.
func (m *Mover) Prepare(c *config.Config) (apply func(), err error) {
	books, err := loadBooks(c.Engine.Book)
	return func() {
		m.openings.books.Store(books)
		for _, program := range m.programs {
			program.Resize(c.Games.Max)
		}
	}, err
}

// Close ends the programs that search.
func (m *Mover) Close() {
	for _, program := range m.programs {
		program.Close()
	}
}

// Kill kills the programs that search at once, without waiting for anything.
func (m *Mover) Kill() {
	for _, program := range m.programs {
		program.Kill()
	}
}

// Search implements game.Engine. A book move has no depth and no score.
func (m *Mover) Search(ctx context.Context, g *rules.Game, l game.SearchLimits,
	report func(engine.Info)) (game.SearchResult, error) {
	if c := m.contenders[l.Contender]; c != nil {
		m = c
	}
	if move, ok := m.openings.pick(g, l); ok {
		return game.SearchResult{Result: engine.Result{Move: move}}, nil
	}
	return m.search(ctx, g, l, report)
}

// AnalysisNodes is how many nodes an analysis searches for each position.
const AnalysisNodes = 10000

// Analyse annotates a game with our engine, on threads that no game needs.
func (m *Mover) Analyse(ctx context.Context, g *pgn.Game) (*analysis.Analysis, error) {
	const hashMB = 16
	return analysis.Annotate(ctx, m.engine.NewSharing(hashMB, m.network),
		engine.Limits{Nodes: AnalysisNodes, Background: true}, g, nil)
}

// EndGame implements game.Engine.
func (m *Mover) EndGame(id string) {
	for _, program := range m.programs {
		program.EndGame(id)
	}
}

// subtractElapsed returns what limits leave once some time is gone.
func subtractElapsed(l engine.Limits, us rules.Color, spent time.Duration) engine.Limits {
	for _, left := range []*time.Duration{l.Clock(us), &l.MoveTime} {
		if *left > 0 { // 0 is no limit
			*left = max(*left-spent, time.Millisecond)
		}
	}
	return l
}
