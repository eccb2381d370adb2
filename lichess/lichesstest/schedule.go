package lichesstest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Schedule is a series of games of one bot against the server's own players.
type Schedule struct {
	Bot         string
	Opponents   []string  // challenge in turn
	Games       int       // 0 for no end
	Until       time.Time // no game begins after this; zero for no end
	Concurrency int
	Spec        func(game int) ChallengeSpec // of game n, from 0

	// RetryDelay is the pause after a decline with "later"; default 100 ms.
	RetryDelay time.Duration

	// OnRefused is called for a challenge that the bot declined for a reason other
	// than "later"; the series continues after a second. If nil, such a decline ends
	// the series with an error.
	OnRefused func(error)
}

// RunGames plays a series: it keeps so many challenges and games going at once
// until all have ended. Each result is told in the order they end. A challenge
// that is declined with "later", or not answered before it expires, is made again;
// see OnRefused for other reasons.
func (s *Server) RunGames(ctx context.Context, plan Schedule, done func(Result)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex // guards next, and done
	next := 0
	draw := func() int {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1
	}
	var workers sync.WaitGroup
	for range max(1, plan.Concurrency) {
		workers.Go(func() {
			for n := draw(); ctx.Err() == nil && plan.wants(n); n = draw() {
				r, err := s.playOne(ctx, &plan, n)
				switch {
				case err == nil:
					mu.Lock()
					done(r)
					mu.Unlock()
				case errors.Is(err, errTooLate):
					return
				case plan.OnRefused != nil && ctx.Err() == nil:
					plan.OnRefused(err)
					wait(ctx, refusedPause)
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

// wants reports whether a game is to be played now.
func (plan *Schedule) wants(game int) bool {
	return (plan.Games == 0 || game < plan.Games) && (plan.Until.IsZero() || time.Now().Before(plan.Until))
}

// errTooLate ends a worker whose last challenge came to nothing.
var errTooLate = errors.New("too late for another challenge")

// How long a challenger waits after a "later" unless told otherwise, and after
// another refusal.
const (
	laterPause   = 100 * time.Millisecond
	refusedPause = time.Second
)

// playOne challenges until the bot has time, and waits for the end of the game.
func (s *Server) playOne(ctx context.Context, plan *Schedule, game int) (Result, error) {
	from, spec := plan.Opponents[game%len(plan.Opponents)], plan.Spec(game)
	for plan.wants(game) {
		c, result := s.challengeFor(from, plan.Bot, spec)
		select {
		case <-c.done:
		case <-time.After(expiry):
			s.Cancel(c.id) // unless it was answered this moment
			<-c.done
		case <-ctx.Done():
			s.Cancel(c.id)
			return Result{}, context.Cause(ctx)
		}
		switch status, reason := s.answer(c); {
		case status == "accepted":
			return await(ctx, result)
		case status == "canceled":
			continue
		case reason != "later":
			return Result{}, fmt.Errorf("challenge %s by %s: %s %s", c.id, from, status, reason)
		}
		wait(ctx, cmp.Or(plan.RetryDelay, laterPause))
	}
	return Result{}, errTooLate
}

// challengeFor challenges; the result of the game will be sent.
func (s *Server) challengeFor(from, to string, spec ChallengeSpec) (*challenge, <-chan Result) {
	result := make(chan Result, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.challenge(s.mustUser(from), s.mustUser(to), spec)
	s.waiters[c.id] = append(s.waiters[c.id], result)
	return c, result
}

// answer returns what became of a challenge.
func (s *Server) answer(c *challenge) (status, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.status != "accepted" {
		delete(s.waiters, c.id)
	}
	return c.status, c.reason
}

func await(ctx context.Context, result <-chan Result) (Result, error) {
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

// Online reports whether a user hears of events: its event stream is open.
func (s *Server) Online(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mustUser(name).hearsEvents()
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
