package lichesstest

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/zhbot/zhbot/lichess"
)

// Schedule is a series of games of one bot against scripted players.
type Schedule struct {
	Bot         string
	Opponents   []string // challenge in turn
	Games       int      // 0 for no limit
	Concurrency int
	Spec        func(game int) ChallengeSpec // of game n, from 0

	// RetryDelay is the pause after a challenge that is not answered; default 100 ms. It doubles
	// with each decline, up to a minute.
	RetryDelay time.Duration

	// OnRefused is called for each decline that is not for later. If nil, the first one ends the
	// series with an error.
	OnRefused func(error)

	asking []sync.Mutex // by opponent, held while its challenge is pending
}

// RunGames plays a series with plan.Concurrency challenges and games at a time. It calls done
// with each result, in the order in which games end, and never while it calls OnRefused. A
// challenge that is declined, or not answered before it expires, is made again.
func (s *Server) RunGames(ctx context.Context, plan Schedule, done func(Result)) error {
	workers, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	var mu sync.Mutex // held while done or OnRefused runs
	if report := plan.OnRefused; report != nil {
		plan.OnRefused = func(err error) {
			mu.Lock()
			defer mu.Unlock()
			report(err)
		}
	}
	plan.asking = make([]sync.Mutex, len(plan.Opponents))
	for range max(1, plan.Concurrency) {
		workers.Go(func() error {
			for {
				n := int(next.Add(1) - 1)
				if plan.Games > 0 && n >= plan.Games {
					return nil
				}
				r, err := s.playOne(ctx, &plan, n)
				if err != nil {
					return err
				}
				mu.Lock()
				done(r)
				mu.Unlock()
			}
		})
	}
	return workers.Wait()
}

// maxRetryDelay is the longest pause after a decline.
const maxRetryDelay = time.Minute

// playOne challenges until the bot accepts, and waits for the end of the game.
func (s *Server) playOne(ctx context.Context, plan *Schedule, game int) (Result, error) {
	opponent, pause := game%len(plan.Opponents), cmp.Or(plan.RetryDelay, 100*time.Millisecond)
	for {
		plan.asking[opponent].Lock()
		c := s.ask(ctx, plan.Opponents[opponent], plan.Bot, plan.Spec(game))
		plan.asking[opponent].Unlock()
		switch {
		case c.status == "accepted":
			return c.game.wait(ctx)
		case ctx.Err() != nil:
			return Result{}, context.Cause(ctx)
		case c.status == "declined":
			err := fmt.Errorf("challenge %s by %s: %s %s", c.id, c.from.name, c.status, c.reason)
			switch {
			case c.reason == "later":
			case plan.OnRefused == nil:
				return Result{}, err
			default:
				plan.OnRefused(err)
			}
			pause = min(2*pause, maxRetryDelay)
		}
		_ = lichess.Sleep(ctx, pause)
	}
}

// ask challenges the bot and waits until the challenge is closed.
func (s *Server) ask(ctx context.Context, from, to string, spec ChallengeSpec) *challenge {
	s.mu.Lock()
	c := s.challenge(s.mustUser(from), s.mustUser(to), spec)
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, expiry)
	defer cancel()
	select {
	case <-c.done:
	case <-ctx.Done():
		s.Cancel(c.id) // unless it was just answered
		<-c.done
	}
	return c
}

// wait returns the result at the end of the game.
func (g *game) wait(ctx context.Context) (Result, error) {
	select {
	case <-g.ctx.Done():
	case <-ctx.Done():
		return Result{}, context.Cause(ctx)
	}
	g.server.mu.Lock()
	defer g.server.mu.Unlock()
	if !g.over() {
		return Result{}, http.ErrServerClosed
	}
	return g.result(), nil
}

// Online reports whether a user's event stream is open.
func (s *Server) Online(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mustUser(name).hasEventStream()
}

// Game returns the state of a game.
func (s *Server) Game(id string) (r Result, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.games[id]
	if g == nil {
		return r, false
	}
	return g.result(), true
}

// Playing returns the ids of a user's games in progress.
func (s *Server) Playing(name string) (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.gamesInProgress(s.mustUser(name)) {
		ids = append(ids, g.id)
	}
	return ids
}
