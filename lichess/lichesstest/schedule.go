package lichesstest

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Schedule is a series of games of one bot against the server's own players.
type Schedule struct {
	Bot       string
	Opponents []string // challenge in turn
	Games     int      // 0 for no end
	AtOnce    int
	Spec      func(game int) ChallengeSpec // of game n, from 0

	// Refused is told of a challenge that the bot declined for good; the series
	// goes on after a second. Nil makes it an error that ends the series.
	Refused func(error)
}

// RunGames plays a series: it keeps so many challenges and games going at once
// until all have ended. Each result is told in the order they end. A challenge
// that is declined with "later" is made again; see Refused for other refusals.
func (s *Server) RunGames(ctx context.Context, plan Schedule, done func(Result)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	next := 0
	var workers sync.WaitGroup
	for range max(1, plan.AtOnce) {
		workers.Go(func() {
			for ctx.Err() == nil {
				mu.Lock()
				n := next
				next++
				mu.Unlock()
				if plan.Games > 0 && n >= plan.Games {
					return
				}
				r, err := s.playOne(ctx, plan.Opponents[n%len(plan.Opponents)], plan.Bot, plan.Spec(n))
				switch {
				case err == nil:
					mu.Lock()
					done(r)
					mu.Unlock()
				case plan.Refused != nil && ctx.Err() == nil:
					plan.Refused(err)
					_ = sleep(ctx, refusedPause) // the loop sees the end of ctx
				default:
					cancel(err)
					return
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// How long a challenger waits after a "later", and after another refusal.
const (
	laterPause   = 100 * time.Millisecond
	refusedPause = time.Second
)

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// playOne challenges and waits for the end of the game.
func (s *Server) playOne(ctx context.Context, from, to string, spec ChallengeSpec) (Result, error) {
	result := make(chan Result, 1)
	s.mu.Lock()
	c := s.challenge(s.mustUser(from), s.mustUser(to), spec)
	s.waiters[c.id] = append(s.waiters[c.id], result)
	s.mu.Unlock()
	select {
	case <-c.done:
	case <-ctx.Done():
		s.Cancel(c.id)
		return Result{}, context.Cause(ctx)
	}
	s.mu.Lock()
	status, reason := c.status, c.reason
	if status != "accepted" {
		delete(s.waiters, c.id)
	}
	s.mu.Unlock()
	if status == "declined" && reason == "later" {
		if err := sleep(ctx, laterPause); err != nil {
			return Result{}, err
		}
		return s.playOne(ctx, from, to, spec)
	}
	if status != "accepted" {
		return Result{}, fmt.Errorf("challenge %s by %s: %s %s", c.id, from, status, reason)
	}
	select {
	case r := <-result:
		return r, nil
	case <-ctx.Done():
		return Result{}, context.Cause(ctx)
	}
}

// OnConnect is told of each BOT account that opens its event stream. It must
// return at once.
func (s *Server) OnConnect(do func(name string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.connected = do
}

// Online reports whether a user is there.
func (s *Server) Online(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mustUser(name).online()
}

// Game returns how a game stands.
func (s *Server) Game(id string) (r Result, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.games[id]
	if g == nil {
		return r, false
	}
	return g.result(), true
}

// Playing returns the ids of a user's games that are on.
func (s *Server) Playing(name string) (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.running(s.mustUser(name)) {
		ids = append(ids, g.id)
	}
	return ids
}
