package lichesstest

import (
	"cmp"
	"context"
	"errors"
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
	Opponents   []string  // challenge in turn
	Games       int       // 0 for no limit
	Until       time.Time // no game starts after this; zero for no limit
	Concurrency int
	Spec        func(game int) ChallengeSpec // of game n, from 0

	// RetryDelay is the pause after a decline with "later"; default 100 ms.
	RetryDelay time.Duration

	// OnRefused is called for a challenge that the bot declined for a reason other
	// than "later"; the series continues after a second. If nil, such a decline ends
	// the series with an error.
	OnRefused func(error)

	asking []sync.Mutex // by opponent, held while its challenge is pending
}

// RunGames plays a series with plan.Concurrency challenges and games at a time. It
// calls done with each result, in the order in which games end. A challenge
// that is declined with "later", or not answered before it expires, is made again;
// see OnRefused for other reasons.
func (s *Server) RunGames(ctx context.Context, plan Schedule, done func(Result)) error {
	workers, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	nextGame := func() int { return int(next.Add(1) - 1) }
	var mu sync.Mutex // held while done runs
	plan.asking = make([]sync.Mutex, len(plan.Opponents))
	for range max(1, plan.Concurrency) {
		workers.Go(func() error {
			for n := nextGame(); ctx.Err() == nil && plan.isDue(n); n = nextGame() {
				r, err := s.playOne(ctx, &plan, n)
				switch {
				case err == nil:
					mu.Lock()
					done(r)
					mu.Unlock()
				case errors.Is(err, errDeadlinePassed):
					return nil
				case plan.OnRefused == nil || ctx.Err() != nil:
					return err
				default:
					plan.OnRefused(err)
					_ = lichess.Sleep(ctx, declinedPause)
				}
			}
			return context.Cause(ctx)
		})
	}
	return workers.Wait()
}

// isDue reports whether a game is still to be played.
func (plan *Schedule) isDue(game int) bool {
	return (plan.Games == 0 || game < plan.Games) && (plan.Until.IsZero() || time.Now().Before(plan.Until))
}

// errDeadlinePassed ends a worker whose last challenge led to no game.
var errDeadlinePassed = errors.New("too late for another challenge")

// How long a challenger waits after a decline with "later", by default, and with
// another reason.
const (
	defaultRetryDelay = 100 * time.Millisecond
	declinedPause     = time.Second
)

// playOne challenges until the bot accepts, and waits for the end of the game.
func (s *Server) playOne(ctx context.Context, plan *Schedule, game int) (Result, error) {
	from, asking := plan.Opponents[game%len(plan.Opponents)], &plan.asking[game%len(plan.Opponents)]
	for plan.isDue(game) {
		asking.Lock()
		c := s.ask(ctx, from, plan.Bot, plan.Spec(game))
		asking.Unlock()
		switch {
		case ctx.Err() != nil && c.status == "canceled":
			return Result{}, context.Cause(ctx)
		case c.status == "accepted":
			return c.game.wait(ctx)
		case c.status == "canceled":
			continue
		case c.reason != "later":
			return Result{}, fmt.Errorf("challenge %s by %s: %s %s", c.id, from, c.status, c.reason)
		}
		_ = lichess.Sleep(ctx, cmp.Or(plan.RetryDelay, defaultRetryDelay))
	}
	return Result{}, errDeadlinePassed
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
