package mover

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/term"
)

// worker runs a process, which supervise replaces when it fails. All but the
// first two fields are guarded by the pool's mutex.
type worker struct {
	pool   *Pool
	number int

	running *running // nil while there is none to search with
	request *request // that it is busy with; nil for none
	game    string   // the game whose process it is; "" for none
	used    int      // the pool's turn when it was last used
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
		answers, err := s.runOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > p.timing.longRun || answers >= provenAnswers {
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

// runOnce runs a process until it fails. It returns why, and how many searches it has ended
// as it should.
func (s *worker) runOnce(ctx context.Context) (answers int, err error) {
	p := s.pool
	r, err := p.startProcess(ctx)
	if err != nil {
		return 0, err
	}
	s.offer(ctx, r)
	select {
	case <-ctx.Done():
	case <-r.engine.Done():
		err = r.engine.Err()
	case err = <-r.failed:
	}
	p.mu.Lock()
	s.running = nil
	busy := s.request != nil
	p.notify() // those who wait for this one
	p.mu.Unlock()
	if ctx.Err() == nil || busy {
		r.process.Kill() // ends a search that is in progress
	}
	r.searches.Wait()
	_ = r.engine.Close() // its end is what was wanted
	p.processes.Delete(r.process)
	return r.answers, err
}

// offer lets searches use a process.
func (s *worker) offer(ctx context.Context, r *running) {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	s.running = r
	if !p.ready {
		p.ready, p.name, p.failure = true, cmp.Or(term.Short(r.engine.Name(), maxName), p.name), nil
		p.o.Log.Info().Str("engine", p.name).Int("processes", len(p.workers)).Msg("engine program started")
		for _, other := range p.workers[1:] {
			p.wg.Go(func() { other.supervise(ctx) })
		}
	} else {
		p.o.Log.Debug().Int("process", s.number).Msg("engine program started")
	}
	p.notify()
}

// errNoPondering is why a search on the opponent's time is refused.
var errNoPondering = errors.New("no process is free to ponder")

// pick returns an idle process for a search: the game's own, else one of no game, else the
// one that has not been used for the longest time. It returns nil if there may be one
// soon: all are busy, and one that ponders is stopped. Only the game's own process ponders,
// and only if no search needs its threads. The caller holds p.mu.
func (p *Pool) pick(game string, ponder bool) (best *worker, err error) {
	down := 0
	for _, s := range p.workers {
		switch {
		case s.running == nil || s.request != nil && s.request.late:
			down++ // treated as down if its last search overran
		case s.request == nil:
			if best == nil || cmp.Or(s.rank(game)-best.rank(game), s.used-best.used) < 0 {
				best = s
			}
		case game != "" && s.game == game && !ponder:
			return nil, nil // it is about to end the search that this one follows
		}
	}
	switch full := p.isFull(); {
	case ponder && p.engine.Protocol == config.XBoard: // it would have to take moves back
		return nil, errNoPondering
	case ponder && (best == nil || full || game == "" || best.game != game):
		return nil, errNoPondering
	case best != nil && !full:
		return best, nil
	}
	if stopped := p.stopPondering(); best == nil && !stopped && down > 0 {
		if !p.ready && p.failure == nil {
			return nil, ErrStarting
		}
		return nil, ErrNotRunning // the one that is missing would be free
	}
	return best, nil
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
