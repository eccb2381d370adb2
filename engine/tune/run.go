package tune

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/engine/match"
	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/rules"
)

// Config describes a tuning run.
type Config struct {
	Command    string            // command line of a UCI engine
	Options    []external.Option // set in both engines
	Parameters []Parameter       // UCI options of the engine
	Limit      match.Limit
	Iterations int     // pairs of games
	Rate       float64 // final change of a value in steps, per point by which one engine is better
	Seed       uint64  // of the directions
	// Openings returns the opening of each iteration.
	Openings     match.Openings
	OpeningsName string // identifies the openings in the state file
	Adjudication match.Adjudication
	Concurrency  int // pairs at a time; 0 means 1

	// StateFile is the file of finished iterations, from which an interrupted run can be
	// resumed; empty means none.
	StateFile string

	// OnIteration is called after each iteration, one call at a time, if not nil. It must
	// not retain the state.
	OnIteration func(*State)
}

// DefaultRate is a good Config.Rate for the constants of a search.
const DefaultRate = 0.006

// Validate returns an error for an invalid configuration.
func (c *Config) Validate() error {
	if len(c.Parameters) == 0 || c.Iterations < 1 || c.Rate <= 0 {
		return fmt.Errorf("%d parameters, %d iterations, rate %g: want at least one parameter, one iteration and a positive rate", len(c.Parameters), c.Iterations, c.Rate)
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
	return nil
}

func (c *Config) schedule() schedule { return schedule{iterations: c.Iterations, rate: c.Rate} }

// Run runs the missing iterations, or as many as it can until the context is done, and
// returns the state reached. An engine that fails is an error.
func Run(ctx context.Context, c Config) (*State, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	t := &tuner{Config: c, state: newState(c.Parameters), done: map[int]bool{}}
	file, err := file.OpenState(c.StateFile, c.settings(), t.restore)
	if err != nil {
		return nil, err
	}
	t.file, t.started = file, t.state.Iterations
	err = t.play(ctx)
	return t.state, errors.Join(err, file.Close())
}

// tuner is a run in progress.
type tuner struct {
	Config

	mu      sync.Mutex // guards what follows
	state   *State
	file    *file.State
	done    map[int]bool // iterations of earlier runs
	started int          // number of iterations finished or in progress
	next    int          // no lower iteration is to be started
}

// restore restores an iteration of an earlier run.
func (t *tuner) restore(i iteration) error {
	if len(i.Values) != len(t.Parameters) {
		return fmt.Errorf("%d values, want %d", len(i.Values), len(t.Parameters))
	}
	t.done[i.Number] = true
	copy(t.state.Values, i.Values)
	t.state.add()
	return nil
}

// play runs the missing iterations, Concurrency at a time.
func (t *tuner) play(ctx context.Context) error {
	threads, ctx := errgroup.WithContext(ctx)
	for range max(t.Concurrency, 1) {
		threads.Go(func() error { return t.playPairs(ctx) })
	}
	return threads.Wait()
}

// playPairs runs iterations, one after another, with its own two engines.
func (t *tuner) playPairs(ctx context.Context) error {
	var engines [2]*external.UCI
	for i := range engines {
		e, err := t.start(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = e.Close() }() // its error does not matter
		engines[i] = e
	}
	for {
		trial, ok := t.nextTrial()
		if !ok {
			return nil
		}
		points, err := t.playTrial(ctx, engines, trial)
		if err == nil {
			err = t.finishTrial(trial, points)
		}
		if err != nil {
			return err
		}
	}
}

func (t *tuner) start(ctx context.Context) (*external.UCI, error) {
	process, err := external.StartProcess(ctx, t.Command)
	if err != nil {
		return nil, err
	}
	e, err := external.NewUCI(ctx, process, external.Config{Options: t.Options})
	if err != nil {
		return nil, fmt.Errorf("engine %q: %w", t.Command, err)
	}
	return e, nil
}

// nextTrial returns the next trial, false if all have been started.
func (t *tuner) nextTrial() (trial, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.started >= t.Iterations {
		return trial{}, false
	}
	for t.done[t.next] { // iterations finish in any order
		t.next++
	}
	k := t.next
	t.started++
	t.next++
	return newTrial(t.Parameters, t.state.Values, t.schedule(), t.Seed, k), true
}

// playTrial plays a pair of games and returns the points by which the first engine was
// better.
func (t *tuner) playTrial(ctx context.Context, engines [2]*external.UCI, trial trial) (float64, error) {
	for i, values := range [2][]int{trial.up, trial.down} {
		for j, p := range t.Parameters {
			if err := engines[i].SetOption(external.Option{Name: p.Name, Value: strconv.Itoa(values[j])}); err != nil {
				return 0, err
			}
		}
	}
	side := func(i int) match.Side {
		return match.Side{Limit: t.Limit, Start: func(context.Context) (match.Player, error) { return persistentEngine{engines[i]}, nil }}
	}
	s, err := match.Run(ctx, match.Config{
		Engine: side(0), Opponent: side(1), Games: 2, Adjudication: t.Adjudication,
		Openings: func(ctx context.Context, _ int) (*rules.Game, error) { return t.Openings(ctx, trial.k) },
	})
	switch {
	case err != nil:
		return 0, fmt.Errorf("iteration %d: %w", trial.k, err)
	case s.Engine.Failures()+s.Opponent.Failures() > 0:
		return 0, fmt.Errorf("iteration %d: an engine failed: %v", trial.k, s.Endings)
	}
	return float64(s.Wins - s.Losses), nil
}

// finishTrial updates the values by the result of a trial and writes them to the state
// file.
func (t *tuner) finishTrial(trial trial, points float64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	update(t.Parameters, t.state.Values, t.schedule(), trial, points)
	t.state.add()
	if err := t.file.Append(iteration{trial.k, points, t.state.Values}); err != nil {
		return fmt.Errorf("iteration %d: %w", trial.k, err)
	}
	if t.OnIteration != nil {
		t.OnIteration(t.state)
	}
	return nil
}

// persistentEngine is an engine that stays open after a match.
type persistentEngine struct{ *external.UCI }

// Close does nothing.
func (persistentEngine) Close() error { return nil }
