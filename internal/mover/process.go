package mover

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/internal/term"
)

// Process is a running program, such as [*external.Process].
type Process interface {
	io.ReadWriteCloser
	Kill()
}

// place is a place for a game, with a process that supervise replaces when it fails. All but
// the first two fields are guarded by the pool's mutex.
type place struct {
	pool  *Pool
	close context.CancelFunc

	game     string   // "" for none
	process  *process // nil while there is none to search with
	unusable bool     // its first process failed, and not by being slow
}

// process is a running program after its handshake. Who has sent to busy may use the fields
// after it.
type process struct {
	Process
	pool   *Pool
	failed chan error    // receives why it has to be replaced
	busy   chan struct{} // capacity 1
	engine *external.Engine
	game   string            // what it plays; "" while it is ready for a new game
	shares []external.Option // that it was last given
	moves  int               // searches that it has ended as it should
}

// provenMoves are enough to see that a program works, however it ends.
const provenMoves = 5

// supervise keeps a process running until the context is done.
func (s *place) supervise(ctx context.Context) {
	t := s.pool.timing
	pauses := backoff.ExponentialBackOff{
		InitialInterval: t.pause, RandomizationFactor: 0.2, Multiplier: 2, MaxInterval: t.maxPause,
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
		s.pool.o.Log.WithLevel(s.pool.failed(s, err)).Err(err).Stringer("retry_in", pause.Round(time.Millisecond)).
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
	c, err := s.pool.startProcess(ctx)
	if err != nil {
		return 0, err
	}
	s.offer(c)
	select {
	case <-ctx.Done():
	case <-c.engine.Done():
		err = c.engine.Err()
	case err = <-c.failed:
	}
	s.pool.mu.Lock()
	s.process = nil
	s.pool.mu.Unlock()
	if err != nil || !c.acquire(ctx, nil) {
		c.abort(cmp.Or(err, ErrNotRunning)) // ends a search that is in progress
		c.busy <- struct{}{}
	}
	c.close()
	return c.moves, err
}

// offer lets searches use a process.
func (s *place) offer(c *process) {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	s.process = c
	if p.ready {
		p.o.Log.Debug().Msg("engine program started")
		return
	}
	p.ready, p.name, p.failure = true, cmp.Or(term.Short(c.engine.Name(), maxName), p.name), nil
	p.o.Log.Info().Str("engine", p.name).Int("processes", p.size).Msg("engine program started")
	p.notify()
}

// startProcess starts a process, and prepares it for a game.
func (p *Pool) startProcess(ctx context.Context) (*process, error) {
	start := p.o.StartProgram
	if start == nil {
		start = func(c external.Command) (Process, error) { return c.Start() }
	}
	started, err := start(external.Command{Line: p.engine.Command, Env: environment(os.Environ()), Stderr: newStderrLog(p.o.Log)})
	if err != nil {
		return nil, err
	}
	p.processes.Store(started, nil)
	// One that hangs is not waited for when its connection is closed.
	defer context.AfterFunc(ctx, started.Kill)()
	kill := time.AfterFunc(p.timing.start+time.Second, started.Kill)
	defer kill.Stop()
	c := &process{
		Process: started, pool: p, failed: make(chan error, 1), busy: make(chan struct{}, 1), shares: p.shares(),
	}
	settings := external.Config{
		Protocol: external.Protocol(p.engine.Protocol), Preferred: c.shares, Timeout: p.timing.answer, StartTimeout: p.timing.start,
	}
	for _, option := range p.engine.Options {
		settings.Options = append(settings.Options, external.Option(option))
	}
	if c.engine, err = external.New(ctx, started, settings); err != nil {
		p.processes.Delete(started)
		return nil, err
	}
	kill.Stop()
	if err := c.setUp(ctx, "", 0); err != nil {
		c.Kill()
		c.close()
		return nil, fmt.Errorf("new game: %w", err)
	}
	return c, nil
}

// setUp waits until the process is ready for a search in a game, which takes no longer than
// silence unless the game is new to it. "" prepares it for any new game.
func (c *process) setUp(ctx context.Context, game string, silence time.Duration) error {
	p := c.pool
	shares := p.shares()
	if game != "" && (c.game == game || c.game == "" && slices.Equal(c.shares, shares)) {
		c.game = game
		ctx, cancel := context.WithTimeoutCause(ctx, silence, external.ErrTimeout)
		defer cancel()
		return c.engine.Ready(ctx)
	}
	if !slices.Equal(c.shares, shares) {
		for _, o := range shares {
			_ = c.engine.SetOption(o) // the program may lack it
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.timing.newGame, external.ErrTimeout)
	defer cancel()
	c.game, c.shares = game, shares
	return c.engine.NewGame(ctx)
}

// acquire makes the process busy, and waits for that until a channel fires.
func (c *process) acquire(ctx context.Context, enough <-chan time.Time) bool {
	select {
	case c.busy <- struct{}{}:
		return true
	default:
	}
	select {
	case c.busy <- struct{}{}:
		return true
	case <-c.engine.Done():
	case <-ctx.Done():
	case <-enough:
	}
	return false
}

// release ends the use of a process, which is replaced if there was an error.
func (c *process) release(err error) {
	if err == nil {
		c.moves++
	} else {
		c.abort(err)
	}
	<-c.busy
}

// abort kills the process, and ends a search at once, however long the process takes to end.
func (c *process) abort(err error) {
	select {
	case c.failed <- err:
	default:
	}
	c.engine.Abort(err)
	c.Kill()
}

// close ends the process.
func (c *process) close() {
	_ = c.engine.Close() // its end is what was wanted
	c.pool.processes.Delete(c.Process)
}
