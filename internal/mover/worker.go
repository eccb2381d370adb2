package mover

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// worker runs a process, which supervise replaces when it fails. All but the
// first two fields are guarded by the pool's mutex.
type worker struct {
	pool   *Pool
	number int

	running *running // nil while there is none to search with
	busy    bool
	late    bool               // nobody waits any longer for the search that it is busy with
	failed  chan error         // of the running process; receives why it has to be replaced
	game    string             // the game whose process it is; "" for none
	used    int                // the pool's turn when it was last used
	ponder  context.CancelFunc // stops the pondering that it is busy with; nil if it is not
	answers int                // searches that the running process has ended as it should
}

// provenAnswers are enough to see that a program works, however it ends.
const provenAnswers = 5

// supervise keeps a process running until the context is done.
func (s *worker) supervise(ctx context.Context) {
	p := s.pool
	pauses := backoff.ExponentialBackOff{
		InitialInterval: p.timing.pause, RandomizationFactor: 0.2, Multiplier: 2, MaxInterval: p.timing.maxPause,
	}
	for {
		began := time.Now()
		err := s.runOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > p.timing.longRun || s.isProven() {
			pauses.Reset()
		}
		pause := pauses.NextBackOff()
		p.o.Log.WithLevel(p.fail(err)).Err(err).Int("process", s.number).Stringer("retry_in", pause.Round(time.Millisecond)).Msg("engine program failed: it is started again")
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// runOnce runs a process until it fails, and returns why.
func (s *worker) runOnce(ctx context.Context) error {
	p := s.pool
	r, err := p.startProcess(ctx)
	if err != nil {
		return err
	}
	failed := s.offer(ctx, r)
	select {
	case <-ctx.Done():
	case <-r.uci.Done():
		err = r.uci.Err()
	case err = <-failed:
	}
	p.mu.Lock()
	s.running = nil
	p.notify() // those who wait for this one
	p.mu.Unlock()
	if ctx.Err() == nil || !r.use.TryLock() {
		r.process.Kill() // ends a search that is in progress
		r.use.Lock()
	}
	defer r.use.Unlock()
	_ = r.uci.Close() // its end is what was wanted
	p.processes.Delete(r.process)
	return err
}

// offer lets searches use a process. The channel receives why it has to be replaced.
func (s *worker) offer(ctx context.Context, r *running) (failed <-chan error) {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	s.running, s.failed, s.answers = r, make(chan error, 1), 0
	if p.name == "" {
		p.name, p.failure = cmp.Or(cleanName(r.uci.Name()), p.fileName()), nil
		p.o.Log.Info().Str("engine", p.name).Int("processes", len(p.workers)).Msg("engine program started")
		for _, other := range p.workers[1:] {
			p.wg.Go(func() { other.supervise(ctx) })
		}
	} else {
		p.o.Log.Debug().Int("process", s.number).Msg("engine program started")
	}
	p.notify()
	return s.failed
}

// isProven reports whether the last process has worked before it failed.
func (s *worker) isProven() bool {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	return s.answers >= provenAnswers
}

// acquire waits until there is a process for a game, and makes it busy. fresh reports that
// it has not played this game before. It fails if the context ends, or if none is running.
func (p *Pool) acquire(ctx context.Context, game string) (s *worker, r *running, fresh bool, err error) {
	for {
		p.mu.Lock()
		s, err = p.pick(game)
		if s != nil {
			r, fresh = s.running, s.game == "" || game == ""
			s.assign(game, nil)
		}
		changed := p.changed
		p.mu.Unlock()
		if s != nil || err != nil {
			return s, r, fresh, err
		}
		select {
		case <-ctx.Done():
			return nil, nil, false, ErrBusy
		case <-changed:
		}
	}
}

// pick returns an idle process for a search: the game's own, else one of no game, else the
// one that has not been used for the longest time. It returns nil if there may be one
// soon: all are busy, and one that ponders is stopped. The caller holds p.mu.
func (p *Pool) pick(game string) (best *worker, err error) {
	down := 0
	for _, s := range p.workers {
		if s.running == nil || s.busy && s.late {
			down++ // treated as down if its last search overran
			continue
		}
		if game != "" && s.game == game && s.busy {
			return nil, nil // it is about to end the search that this one follows
		}
		if !s.busy && (best == nil || s.rank(game) < best.rank(game) || s.rank(game) == best.rank(game) && s.used < best.used) {
			best = s
		}
	}
	if best != nil && p.searching() < p.maxSearching() {
		return best, nil
	}
	if stopped := p.stopPondering(); best == nil && !stopped && down > 0 {
		if p.name == "" && p.failure == nil {
			return nil, ErrStarting
		}
		return nil, ErrNotRunning // the one that is missing would be free
	}
	return best, nil
}

// errNoPondering is why a search on the opponent's time is refused.
var errNoPondering = errors.New("no process is free to ponder")

// acquireToPonder makes the process of a game busy with pondering, if it is idle and no
// search needs its threads. end stops it.
func (p *Pool) acquireToPonder(game string, end context.CancelFunc) (*worker, *running, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.workers {
		if s.running != nil && !s.busy && game != "" && s.game == game && p.searching() < p.maxSearching() {
			s.assign(game, end)
			return s, s.running, nil
		}
	}
	return nil, nil, errNoPondering
}

// rank orders the workers from which to choose one for a game. The caller holds the pool's
// mutex.
func (s *worker) rank(game string) int {
	switch s.game {
	case game:
		return 0
	case "":
		return 1
	}
	return 2
}

// assign makes the worker busy with a game. The caller holds the pool's mutex.
func (s *worker) assign(game string, ponder context.CancelFunc) {
	s.pool.turns++
	s.busy, s.late, s.game, s.used, s.ponder = true, false, game, s.pool.turns, ponder
}

// release makes the worker of a request that is over free, or has its process replaced
// because of an error. It is called without the pool's mutex.
func (s *worker) release(c *request) {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	close(c.done) // under the mutex, see giveUp
	s.busy, s.late, s.ponder = false, false, nil
	switch {
	case c.err == nil:
		s.answers++
	case s.running == c.running:
		s.running = nil
		s.failed <- c.err
	}
	s.pool.notify()
}
