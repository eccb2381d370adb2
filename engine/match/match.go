package match

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/zhbot/zhbot/internal/file"
)

// Side is one of the two engines: how to start it, and its limit.
type Side struct {
	Name    string // for tables and PGN; empty means the name the engine reports
	Suffix  string // of the name that the engine reports, such as its options
	Command string // identifies the engine in the state file
	Start   StartFunc
	Limit   Limit
}

// Config describes a match.
type Config struct {
	Engine, Opponent Side
	Games            int   // an even number
	Concurrency      int   // games at a time; 0 means 1
	Shard            Shard // of the pairs, for [Merge]; the zero value plays them all
	Openings         Openings
	OpeningsName     string // identifies the openings in the state file
	SPRT             *SPRT  // ends the match at its verdict, if not nil; not of a shard
	Adjudication     Adjudication

	// Margin is how late a move may be without losing on time.
	Margin time.Duration

	// StateFile is the file of finished games, from which an interrupted match can be
	// resumed; empty means none.
	StateFile string

	// PGN receives the finished games, if not nil.
	PGN io.Writer

	// OnGame is called after each game, one call at a time, if not nil. It must not retain
	// the summary. An error ends the match.
	OnGame func(Game, Summary) error
}

// maxGames bounds the number of games.
const maxGames = 10_000_000

// Validate returns an error for an invalid match, such as a shard without games, or one that
// would stop by itself: only all shards together decide an SPRT.
func (c *Config) Validate() error {
	for contestant, side := range c.sides() {
		if err := side.Limit.Check(); err != nil {
			return fmt.Errorf("%s: %w", Contestant(contestant), err)
		}
	}
	switch a := c.Adjudication; {
	case c.Games < 2 || c.Games%2 != 0:
		return fmt.Errorf("%d games: want an even number, because each opening is played with both colours", c.Games)
	case c.Games > maxGames:
		return fmt.Errorf("%d games: want at most %d", c.Games, maxGames)
	case a.Score > 0 && a.Plies < 1:
		return fmt.Errorf("adjudication at %d centipawns for %d plies: want it for at least a ply", a.Score, a.Plies)
	case c.Shard.Count > c.Games/2:
		return fmt.Errorf("%d shards of %d pairs: want at most one for each pair", c.Shard.Count, c.Games/2)
	case c.Shard.Count > 0 && c.SPRT != nil:
		return errors.New("SPRT: a shard plays all of its games; merging evaluates the SPRT over all shards")
	case c.Shard.Count > 0 && c.StateFile == "":
		return errors.New("a shard has no state file (--resume), from which all shards are merged")
	}
	return nil
}

// OwnGames returns how many of the games the shard has.
func (c *Config) OwnGames() int { return 2 * c.Shard.Size(c.Games/2) }

func (c *Config) sides() [2]*Side { return [2]*Side{&c.Engine, &c.Opponent} }

// settings must be the same for a match to be continued. The number of games, the
// concurrency and the SPRT may change.
type settings struct {
	Engine       string        `json:"engine"`
	Opponent     string        `json:"opponent"`
	Openings     string        `json:"openings"`
	Margin       time.Duration `json:"margin"`
	Adjudication Adjudication  `json:"adjudication"`

	// Only for a shard, since [Merge] needs them; then the number of games cannot change.
	Games  int       `json:"games,omitzero"`  // of all shards
	Names  [2]string `json:"names,omitzero"`  // by contestant; "" for what the engine reports
	Limits [2]Limit  `json:"limits,omitzero"` // by contestant
	Shard  Shard     `json:"shard,omitzero"`
}

func (c *Config) settings() settings {
	s := settings{
		Engine:       c.Engine.Command + " at " + c.Engine.Limit.String(),
		Opponent:     c.Opponent.Command + " at " + c.Opponent.Limit.String(),
		Openings:     c.OpeningsName,
		Margin:       c.Margin,
		Adjudication: c.Adjudication,
	}
	if c.Shard.Count > 0 {
		s.Games, s.Shard = c.Games, c.Shard
		for contestant, side := range c.sides() {
			s.Names[contestant], s.Limits[contestant] = side.Name, side.Limit
		}
	}
	return s
}

// Run plays a match until its end, the verdict of its SPRT, or the end of the context, and
// returns the summary so far. Interrupted games do not count. The error is that of the
// context, of the state file, of the PGN, or of an engine that has never worked.
func Run(ctx context.Context, c Config) (Summary, error) {
	if err := c.Validate(); err != nil {
		return Summary{}, err
	}
	m := newMatch(c)
	state, err := file.OpenState(c.StateFile, c.settings(), m.restore)
	if err != nil {
		return Summary{}, err
	}
	m.state = state
	if m.summary.Games < m.OwnGames() && m.summary.verdict() == Undecided {
		err = m.play(ctx)
	}
	if ctx.Err() != nil && m.SPRT != nil && m.summary.verdict() == Undecided {
		m.summary.SPRT.Verdict = Stopped
	}
	return m.summary, errors.Join(err, state.Close())
}

// match is a match in progress. The workers share it.
type match struct {
	Config
	started [2]atomic.Bool // by contestant: its engine has worked

	mu      sync.Mutex // guards what follows
	state   *file.State
	summary Summary
	played  map[int]*Game // by number
	next    int           // the next pair
}

func newMatch(c Config) *match {
	return &match{Config: c, summary: newSummary(&c), played: map[int]*Game{}}
}

// restore adds a game of an earlier run.
func (m *match) restore(g Game) error {
	if err := g.check(m.Shard); err != nil {
		return err
	}
	return m.addGame(&g)
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

// errDecided stops the workers at the verdict of the SPRT.
var errDecided = errors.New("the SPRT has a verdict")

// play plays the missing pairs.
func (m *match) play(ctx context.Context) error {
	workers, ctx := errgroup.WithContext(ctx)
	for range max(m.Concurrency, 1) {
		workers.Go(func() error { return (&worker{match: m}).run(ctx) })
	}
	if err := workers.Wait(); !errors.Is(err, errDecided) {
		return err
	}
	return nil
}

// pairGames returns the numbers of the games of a pair.
func pairGames(pair int) [2]int { return [2]int{2 * pair, 2*pair + 1} }

// nextGames returns the games of the next pair that are to be played, none at the end.
func (m *match) nextGames() (missing []int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for ; len(missing) == 0 && m.next < m.Games/2; m.next++ {
		for _, number := range pairGames(m.next) {
			if m.played[number] == nil && m.Shard.Has(m.next) {
				missing = append(missing, number)
			}
		}
	}
	return missing
}

// record adds a finished game and writes it to the files. A game that finishes after the
// verdict does not count.
func (m *match) record(r *referee) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.summary.verdict() != Undecided {
		return errDecided
	}
	g := r.record
	if err := m.addGame(g); err != nil {
		return err
	}
	if m.PGN != nil {
		if err := r.writePGN(m.PGN, m.summary.names()); err != nil {
			return fmt.Errorf("write game %d as PGN: %w", g.Number, err)
		}
	}
	if err := m.state.Append(g); err != nil {
		return fmt.Errorf("game %d: %w", g.Number, err)
	}
	if m.OnGame != nil {
		if err := m.OnGame(*g, m.summary); err != nil {
			return err
		}
	}
	if m.summary.verdict() != Undecided {
		return errDecided
	}
	return nil
}
