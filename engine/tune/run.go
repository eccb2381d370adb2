package tune

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/engine/match"
	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/rules"
)

// Config describes a tuning run.
type Config struct {
	// Match is the match of which each pair of games is an iteration. Its Engine plays both
	// sides; Games and OnGame are not used. Its players must have a method SetOption, as
	// [*external.Engine] has.
	Match      match.Config
	Parameters []Parameter // UCI options of the engine
	Iterations int         // pairs of games
	Rate       float64     // final change of a value in steps, per point by which one engine is better
	Seed       uint64      // of the directions

	// OnIteration is called after each iteration, one call at a time, if not nil. It must
	// not retain the state.
	OnIteration func(*State)
}

// DefaultRate is a good Config.Rate for the constants of a search.
const DefaultRate = 0.006

// Validate returns an error for an invalid configuration.
func (c *Config) Validate() error {
	if len(c.Parameters) == 0 || c.Iterations < 1 || c.Rate <= 0 {
		return fmt.Errorf("%d parameters, %d iterations, rate %g: want at least one parameter, one iteration "+
			"and a positive rate", len(c.Parameters), c.Iterations, c.Rate)
	}
	seen := map[string]bool{}
	for _, p := range c.Parameters {
		if err := p.check(); err != nil {
			return err
		}
		if seen[p.Name] {
			return fmt.Errorf("duplicate parameter %s", p.Name)
		}
		seen[p.Name] = true
	}
	m := c.Match
	m.Opponent.Limit, m.Games = m.Engine.Limit, 2*c.Iterations
	return m.Validate()
}

func (c *Config) schedule() schedule { return schedule{iterations: c.Iterations, rate: c.Rate} }

// Run runs the missing iterations, or as many as it can until the context is done, and
// returns the state reached. An engine that fails is an error.
func Run(ctx context.Context, c Config) (*State, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	t := &tuner{Config: c, state: newState(c.Parameters), done: map[int]bool{}, trials: map[int]*trial{}}
	file, err := file.OpenState(c.Match.StateFile, c.settings(), t.restore)
	if err != nil {
		return nil, err
	}
	t.file = file
	err = t.play(ctx)
	return t.state, errors.Join(err, file.Close())
}

// tuner is a run in progress.
type tuner struct {
	Config
	done    map[int]bool // iterations of earlier runs
	missing []int        // iterations, one for each pair of the match

	mu     sync.Mutex // guards what follows
	state  *State
	file   *file.State
	trials map[int]*trial // in progress, by iteration
}

// restore restores an iteration of an earlier run.
func (t *tuner) restore(i iteration) error {
	if len(i.Values) != len(t.Parameters) {
		return fmt.Errorf("%d values, want %d", len(i.Values), len(t.Parameters))
	}
	t.done[i.Number] = true
	copy(t.state.Values, i.Values)
	t.state.count(i.Points, newTrial(t.Parameters, t.state.Values, t.schedule(), t.Seed, i.Number).directions)
	return nil
}

// play plays a match of the missing iterations.
func (t *tuner) play(ctx context.Context) error {
	for k := range t.Iterations { // they finish in any order
		if !t.done[k] {
			t.missing = append(t.missing, k)
		}
	}
	if len(t.missing) == 0 {
		return nil
	}
	m := t.Match
	m.Opponent.Limit = m.Engine.Limit
	m.Engine.Start, m.Opponent.Start = t.starter(match.Engine), t.starter(match.Opponent)
	m.Games, m.StateFile, m.OnGame = 2*len(t.missing), "", t.finishGame
	m.Openings = func(ctx context.Context, pair int) (*rules.Game, error) {
		return t.Match.Openings(ctx, t.missing[pair])
	}
	_, err := match.Run(ctx, m)
	return err
}

// starter returns a function that starts the engine of a side.
func (t *tuner) starter(side match.Contestant) match.StartFunc {
	return func(ctx context.Context) (match.Player, error) {
		p, err := t.Match.Engine.Start(ctx)
		if err != nil {
			return nil, err
		}
		return &player{p.(adjustable), t, side}, nil
	}
}

// adjustable is a player whose options can be set between games.
type adjustable interface {
	match.Player
	SetOption(o external.Option) error
}

// player is an engine that plays one side of the trials.
type player struct {
	adjustable
	tuner *tuner
	side  match.Contestant
}

// SetGame sets the values for a game of the match.
func (p *player) SetGame(number int) error {
	values := p.tuner.trial(p.tuner.missing[number/2]).values[p.side]
	for i, parameter := range p.tuner.Parameters {
		if err := p.SetOption(external.Option{Name: parameter.Name, Value: strconv.Itoa(values[i])}); err != nil {
			return err
		}
	}
	return nil
}

// trial returns the trial of iteration k, whose games are in progress.
func (t *tuner) trial(k int) *trial {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.trials[k] == nil {
		t.trials[k] = newTrial(t.Parameters, t.state.Values, t.schedule(), t.Seed, k)
	}
	return t.trials[k]
}

// finishGame adds a game to its trial. After both games it updates the values and writes
// them to the state file.
func (t *tuner) finishGame(g match.Game, s match.Summary) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.missing[g.Number/2]
	if s.Engine.Failures()+s.Opponent.Failures() > 0 {
		return fmt.Errorf("iteration %d: an engine failed: %s: %s", k, g.Ending, g.Detail)
	}
	trial := t.trials[k]
	trial.games++
	if trial.points += 2*g.Points() - 1; trial.games < 2 {
		return nil
	}
	delete(t.trials, k)
	update(t.Parameters, t.state.Values, t.schedule(), trial)
	t.state.count(trial.points, trial.directions)
	if err := t.file.Append(iteration{k, trial.points, t.state.Values}); err != nil {
		return fmt.Errorf("iteration %d: %w", k, err)
	}
	if t.OnIteration != nil {
		t.OnIteration(t.state)
	}
	return nil
}
