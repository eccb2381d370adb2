package lichess

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// MoveRequest is a move to post.
type MoveRequest struct {
	GameID    string
	UCI       string
	OfferDraw bool // or accept the opponent's offer
	// Ply is the number of moves played before this one. It tells a lost response
	// from a lost move.
	Ply int
	// FlagAt is when our clock runs out, zero without a clock.
	FlagAt time.Time
}

// moveRetryFor bounds how long a move is retried while the network or the server
// fails; a clock may bound it further.
const moveRetryFor = time.Minute

const (
	// minPause and maxPause bound the pause between a failure and the next attempt.
	minPause = 50 * time.Millisecond
	maxPause = 5 * time.Second
	// pauseDivisor bounds a pause to this fraction of our clock, so that an attempt
	// hits a server that is reachable only for moments.
	pauseDivisor = 20
)

// drainTimeout bounds how long a request continues after its caller has given up.
const drainTimeout = time.Second

// maxEarlyAttempts is how often a move may be sent before a 429's wait is over, if
// that wait would cost too much of our clock.
const maxEarlyAttempts = 2

var endpointMove = endpoint{"POST", "/api/bot/game/{id}/move/{uci}"}

// Move posts a move and returns nil once the server has accepted it. It waits for
// no other request, only for a 429 to a move.
//
// When a response is lost, the move is not resent blindly: the list of games in
// progress, read over a new connection, tells whether it arrived. (Opening the
// game's stream instead would end the one that is open.) A caller that meanwhile
// sees the move in its stream may cancel the context: Move then returns at once.
//
// After a 429 the move waits and is posted again; if the wait would cost more than
// half of our clock, it is sent at half the time left, and once more at half of the
// rest. When such an early attempt succeeds, the moves of all games are unblocked.
//
// Errors: [ErrIllegalMove] if the move is illegal, [*APIError] if the server rejects
// it for another reason (not our turn, game over), [*RateLimitError] if the clock is
// too short for the wait, [ErrMoveUnconfirmed] if only the game's stream can tell,
// and [ErrMoveInFlight].
//
// API reference: https://lichess.org/api#tag/Bot/operation/botGameMove
func (c *Client) Move(ctx context.Context, m MoveRequest) error {
	if !c.inFlight.add(m.GameID) {
		return wrap(ErrMoveInFlight, "move "+excerpt(m.UCI)+" in game", m.GameID)
	}
	defer c.inFlight.remove(m.GameID)
	p := &moveAttempt{client: c, move: m, pauses: newBackOff(minPause, maxPause)}
	return wrap(p.run(ctx), "move "+excerpt(m.UCI)+" in game", m.GameID)
}

// moveAttempt is a move being posted.
type moveAttempt struct {
	client        *Client
	move          MoveRequest
	pauses        *backoff.ExponentialBackOff
	failingSince  time.Time // when the network or the server began to fail; zero if it works
	earlyAttempts int       // attempts before a wait was over
	ambiguousErr  error     // the last failure after which the move may have arrived
}

// run retries until the move is accepted or cannot be.
func (p *moveAttempt) run(ctx context.Context) error {
	for {
		early, err := p.waitForLimit(ctx)
		if err != nil {
			return err
		}
		err = p.post(ctx, early)
		var limited *RateLimitError
		var network *NetworkError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return err
		case errors.As(err, &limited):
			p.failingSince = time.Time{} // the server is reachable
		case errors.As(err, &network) && network.neverSent():
			if !p.pause(ctx) {
				return err
			}
		case network != nil || errors.Is(err, ErrUnavailable):
			p.ambiguousErr = err
			if arrived, err := p.resolve(ctx); arrived || err != nil {
				return err
			}
		default:
			return p.handleRejection(ctx, err)
		}
	}
}

// post makes one attempt. If the context ends first, usually because the stream has
// shown the move before the response arrived, the request may continue for
// drainTimeout: to cut it would cost the next move its warm connection.
func (p *moveAttempt) post(ctx context.Context, early bool) error {
	r := request{
		endpoint: endpointMove,
		args:     []string{p.move.GameID, p.move.UCI},
		early:    early,
		urgent:   true,
	}
	if p.move.OfferDraw {
		r.query = singleParam("offeringDraw", "true")
	}
	exchange, cut := context.WithCancel(context.WithoutCancel(ctx))
	answered := make(chan error, 1)
	p.client.movePosts.Go(func() {
		defer cut()
		answered <- p.client.sendMove(exchange, r)
	})
	select {
	case err := <-answered:
		return err
	case <-ctx.Done():
		time.AfterFunc(drainTimeout, cut)
		return fmt.Errorf("%s: %w", endpointMove, context.Cause(ctx))
	}
}

// waitForLimit waits until a move may be posted, and reports whether that is before
// the wait is over.
func (p *moveAttempt) waitForLimit(ctx context.Context) (early bool, err error) {
	for {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		wait, key := p.client.limiter.blockedFor(endpointMove)
		if wait <= 0 {
			return false, nil
		}
		left := time.Until(p.move.FlagAt)
		if p.move.FlagAt.IsZero() || wait <= left/2 {
			if err := p.client.limiter.wait(ctx, endpointMove, wait); err != nil {
				return false, err
			}
			continue
		}
		if p.earlyAttempts == maxEarlyAttempts || left <= 0 {
			return false, &RateLimitError{Endpoint: endpointMove.String(), RetryAfter: wait, Key: key, Local: true}
		}
		if err := p.client.limiter.wait(ctx, endpointMove, left/2); err != nil {
			return false, err
		}
		if wait, _ := p.client.limiter.blockedFor(endpointMove); wait > 0 {
			p.earlyAttempts++
			return true, nil
		}
	}
}

// pause waits before the next attempt and reports whether there is time for one.
func (p *moveAttempt) pause(ctx context.Context) bool {
	if p.failingSince.IsZero() {
		p.failingSince = time.Now()
	}
	end, wait := p.failingSince.Add(moveRetryFor), p.pauses.NextBackOff()
	if flag := p.move.FlagAt; !flag.IsZero() {
		wait = min(wait, max(minPause, time.Until(flag)/pauseDivisor))
		if flag.Before(end) {
			end = flag
		}
	}
	return time.Until(end) > wait && sleep(ctx, wait) == nil
}
