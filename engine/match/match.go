package match

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// Side is one of the two engines: how to start it, and its limit.
type Side struct {
	Name    string // for tables and PGN; empty means the name the engine reports
	Command string // identifies the engine in the state file
	Start   StartFunc
	Limit   Limit
}

// Config describes a match.
type Config struct {
	Engine, Opponent Side
	Games            int // an even number
	Concurrency      int // games at a time; 0 means 1
	Openings         Openings
	OpeningsName     string // identifies the openings in the state file
	SPRT             *SPRT  // ends the match at its verdict, if not nil
	Adjudication     Adjudication

	// Margin is how late a move may be without losing on time.
	Margin time.Duration

	// MoveTimeout is how long an engine without a time limit may take for a move before it
	// loses as hung. 0 means a minute.
	MoveTimeout time.Duration

	// StateFile is the file of finished games, with which an interrupted match can be
	// continued; empty means none.
	StateFile string

	// PGN receives the finished games, if not nil.
	PGN io.Writer

	// OnGame is called after each game, one call at a time, if not nil.
	OnGame func(Game, Summary)
}

const defaultMoveTimeout = time.Minute

// Validate returns an error for an invalid match.
func (c *Config) Validate() error {
	if c.Games < 2 || c.Games%2 != 0 {
		return fmt.Errorf("%d games: want an even number, because each opening is played with both colours", c.Games)
	}
	for contestant, side := range c.sides() {
		if err := side.Limit.check(); err != nil {
			return fmt.Errorf("%s: %w", Contestant(contestant), err)
		}
	}
	return nil
}

func (c *Config) sides() [2]*Side { return [2]*Side{&c.Engine, &c.Opponent} }

func (c *Config) gameRules() gameRules {
	b := gameRules{
		limits:       [2]Limit{c.Engine.Limit, c.Opponent.Limit},
		margin:       c.Margin,
		moveTimeout:  c.MoveTimeout,
		adjudication: c.Adjudication,
	}
	if b.moveTimeout <= 0 {
		b.moveTimeout = defaultMoveTimeout
	}
	return b
}

// Run plays a match until its end, the verdict of its SPRT, or the end of the context, and
// returns the summary so far. Interrupted games do not count. The error is that of the
// context, of the state file, of the PGN, or of an engine that has never worked.
func Run(ctx context.Context, c Config) (Summary, error) {
	if err := c.Validate(); err != nil {
		return Summary{}, err
	}
	m := &match{Config: c, summary: newSummary(&c)}
	if c.StateFile != "" {
		state, err := openState(c.StateFile, c.settings())
		if err != nil {
			return Summary{}, err
		}
		defer func() { _ = state.close() }() // each game is already written
		m.state = state
	}
	err := m.resume()
	if err == nil && m.unfinished() {
		err = m.play(ctx)
	}
	if m.state != nil {
		err = errors.Join(err, m.state.close())
	}
	return m.summary, err
}

// match is a match in progress. Only the goroutine of Run changes summary and played.
type match struct {
	Config
	state   *state
	summary Summary
	played  map[int]*Game // by number
	started [2]atomic.Bool
}

// resume adds the games of an earlier run.
func (m *match) resume() error {
	m.played = map[int]*Game{}
	if m.state == nil {
		return nil
	}
	for _, g := range m.state.games {
		if err := m.addGame(&g); err != nil {
			return fmt.Errorf("state file %s: %w", m.StateFile, err)
		}
	}
	return nil
}

// addGame adds a game to the summary.
func (m *match) addGame(g *Game) error {
	if m.played[g.Number] != nil {
		return fmt.Errorf("duplicate game %d", g.Number)
	}
	m.played[g.Number] = g
	m.summary.add(g, m.played[g.Number^1])
	return nil
}

// unfinished reports whether more games are to be played.
func (m *match) unfinished() bool {
	return m.summary.Games < m.Games && m.summary.verdict() == Undecided
}

// play plays the missing pairs.
func (m *match) play(ctx context.Context) error {
	playCtx, stop := context.WithCancel(ctx)
	defer stop()
	pairs, games := make(chan pair), make(chan *referee)
	workers, playCtx := errgroup.WithContext(playCtx)
	workers.Go(func() error { return dispatch(playCtx, m.missingPairs(), pairs) })
	for range max(m.Concurrency, 1) {
		workers.Go(func() error { return newWorker(m, games).run(playCtx, pairs) })
	}
	workersDone := make(chan error, 1)
	go func() {
		workersDone <- workers.Wait()
		close(games)
	}()
	collectErr := m.collect(games, stop)
	err := <-workersDone
	switch {
	case collectErr != nil:
		return collectErr
	case ctx.Err() != nil:
		return ctx.Err()
	case m.summary.verdict() != Undecided:
		return nil // the workers were stopped
	}
	return err
}

// collect records the games as they finish. It stops the workers at a verdict or at an
// error.
func (m *match) collect(games <-chan *referee, stop func()) (failed error) {
	for r := range games {
		if failed != nil || m.summary.verdict() != Undecided {
			continue // finished after the stop
		}
		if failed = m.record(r); failed != nil || m.summary.verdict() != Undecided {
			stop()
		}
	}
	return failed
}

// record adds a game and writes it to the files.
func (m *match) record(r *referee) error {
	g := r.record
	if err := m.addGame(g); err != nil {
		return err
	}
	if m.PGN != nil {
		if err := r.writePGN(m.PGN, m.summary.names()); err != nil {
			return fmt.Errorf("write game %d as PGN: %w", g.Number, err)
		}
	}
	if m.state != nil {
		if err := m.state.add(g); err != nil {
			return err
		}
	}
	if m.OnGame != nil {
		snapshot := m.summary
		snapshot.Endings = maps.Clone(snapshot.Endings)
		m.OnGame(*g, snapshot)
	}
	return nil
}

// pair is a pair and its games to be played.
type pair struct {
	number int
	games  []int
}

// missingPairs returns the incomplete pairs.
func (m *match) missingPairs() (pairs []pair) {
	for n := range m.Games / 2 {
		p := pair{number: n}
		for _, game := range []int{2 * n, 2*n + 1} {
			if m.played[game] == nil {
				p.games = append(p.games, game)
			}
		}
		if len(p.games) > 0 {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// dispatch sends the pairs to the workers.
func dispatch(ctx context.Context, pairs []pair, to chan<- pair) error {
	defer close(to)
	for _, p := range pairs {
		select {
		case to <- p:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
