package mover

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/internal/term"
)

// Process is a running program, such as [*external.Process].
type Process interface {
	io.ReadWriteCloser
	Kill()
}

// place is a place for a game, with a process that supervise replaces when it fails.
type place struct {
	pool  *pool
	size  int // the pool's, by which threads and memory are divided
	close context.CancelFunc
	ended chan struct{} // receives the end of a game; capacity 1

	// The pool's mutex guards these.
	game     string   // "" for none
	process  *process // nil while there is none to search with
	tried    bool     // it has started a process, or failed to
	unusable bool     // its last process failed, and not by being slow
}

// process is a running program after its handshake. Whoever holds busy may use its engine.
type process struct {
	Process
	pool   *pool
	busy   chan struct{} // semaphore; capacity 1
	engine *external.Engine
	moves  int        // searches that ended without an error
	failed chan error // receives why the process must be replaced; capacity 1
}

// Limits on the pauses between restarts.
const (
	maxPause    = 30 * time.Second
	provenMoves = 5 // enough to see that a program works, however it ends
)

// supervise keeps a process running until the context is done.
func (s *place) supervise(ctx context.Context) {
	defer s.close()
	t := s.pool.timing
	pauses := backoff.ExponentialBackOff{
		InitialInterval: t.pause, RandomizationFactor: 0.2, Multiplier: 2, MaxInterval: maxPause,
	}
	for {
		began := time.Now()
		moves, err := s.runOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > t.longRun || moves >= provenMoves {
			pauses.Reset()
		}
		pause := pauses.NextBackOff()
		s.pool.o.Log.WithLevel(s.pool.setFailure(s, err)).Err(err).Stringer("retry_in", pause.Round(time.Millisecond)).
			Msg("engine program failed: it is started again")
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// runOnce runs a process until it fails. It returns why, and how many moves it has found.
func (s *place) runOnce(ctx context.Context) (moves int, err error) {
	c, err := s.pool.startProcess(ctx, s.size)
	if err != nil {
		return 0, err
	}
	s.offer(c)
	err = s.await(ctx, c)
	s.pool.mu.Lock()
	s.process = nil
	s.pool.mu.Unlock()
	select {
	case c.busy <- struct{}{}:
	default:
		c.abort(cmp.Or(err, errNotRunning)) // ends a search that is in progress
		c.busy <- struct{}{}
	}
	c.close(err)
	return c.moves, err
}

// await waits until a process fails, or the context is done. After each game it prepares the
// process for another one.
func (s *place) await(ctx context.Context, c *process) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c.engine.Done():
			return c.engine.Err()
		case err := <-c.failed:
			return err
		case <-s.ended:
		}
		select {
		case <-ctx.Done():
		case <-c.engine.Done():
		case c.busy <- struct{}{}: // once it no longer ponders
			err := c.engine.NewGame(ctx)
			<-c.busy
			if err != nil {
				return fmt.Errorf("new game: %w", err)
			}
		}
	}
}

// offer lets searches use a process.
func (s *place) offer(c *process) {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	s.process, s.tried = c, true
	if p.ready {
		p.o.Log.Debug().Msg("engine program started")
	} else {
		p.ready, p.name, p.failure = true, cmp.Or(term.Short(c.engine.Name(), maxName), p.name), nil
		p.o.Log.Info().Str("engine", p.name).Int("processes", p.size).Msg("engine program started")
	}
	p.settle(nil)
}

// startProcess starts one of some processes, which is then ready for a game.
func (p *pool) startProcess(ctx context.Context, size int) (*process, error) {
	start := p.o.StartProgram
	if start == nil {
		start = func(c external.Command) (Process, error) { return c.Start() }
	}
	started, err := start(external.Command{Line: p.engine.Command, Env: environment(os.Environ())})
	if err != nil {
		return nil, err
	}
	p.processes.Store(started, nil)
	// One that hangs is not waited for when its connection is closed.
	defer context.AfterFunc(ctx, started.Kill)()
	e, err := external.New(ctx, started, p.settings(size))
	if err != nil {
		p.processes.Delete(started)
		return nil, err
	}
	c := &process{Process: started, pool: p, engine: e, busy: make(chan struct{}, 1), failed: make(chan error, 1)}
	if err := e.NewGame(ctx); err != nil {
		c.close(err)
		return nil, fmt.Errorf("new game: %w", err)
	}
	return c, nil
}

// settings returns those of one of some processes, which divide threads and memory unless
// the options say otherwise.
func (p *pool) settings(size int) external.Config {
	c := external.Config{
		Protocol: external.Protocol(p.engine.Protocol), Timeout: p.timing.answer, StartTimeout: p.timing.start,
		Preferred: []external.Option{
			{Name: "Threads", Value: fmt.Sprint(max(p.engine.Threads/size, 1))},
			{Name: "Hash", Value: fmt.Sprint(max(p.engine.HashMB/size, 1))},
		},
	}
	c.Preferred = slices.DeleteFunc(c.Preferred, func(o external.Option) bool {
		return slices.ContainsFunc(p.engine.Options,
			func(set config.Option) bool { return strings.EqualFold(set.Name, o.Name) })
	})
	for _, option := range p.engine.Options {
		c.Options = append(c.Options, external.Option(option))
	}
	return c
}

// abort ends a search with an error at once, however long the process takes to end.
func (c *process) abort(err error) {
	select {
	case c.failed <- err:
	default:
	}
	c.engine.Abort(err)
	c.Kill()
}

// close ends the process, by a kill after an error.
func (c *process) close(err error) {
	if err != nil {
		c.Kill()
	}
	_ = c.engine.Close() // its end is what was wanted
	c.pool.processes.Delete(c.Process)
}

// inherited are the variables of the environment that a child may see, besides the locale's.
// All others stay here: the token may be in any of them.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT",
	"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS",
}

// environment returns the part of an environment that a child gets.
func environment(all []string) []string {
	kept := []string{}
	for _, variable := range all {
		name, _, _ := strings.Cut(variable, "=")
		name = strings.ToUpper(name) // as Windows sees it
		if slices.Contains(inherited, name) || strings.HasPrefix(name, "LC_") {
			kept = append(kept, variable)
		}
	}
	return kept
}
