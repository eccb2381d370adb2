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
	// Ply is the number of moves played before this one. By it a lost reply is
	// told from a lost move.
	Ply int
	// FlagAt is when our clock runs out; zero means no clock.
	FlagAt time.Time
}

// moveRetryFor bounds how long a move is tried while the network or the server
// fails; a clock may bound it further.
const moveRetryFor = time.Minute

const (
	// shortestPause and longestPause are between a failure and the next try.
	shortestPause = 50 * time.Millisecond
	longestPause  = 5 * time.Second
	// pauseShare is the most of our clock that a pause may cost, as a divisor: a
	// server that comes back only for moments must be met in one of them.
	pauseShare = 20
)

// lingering bounds how long an exchange goes on that nobody waits for.
const lingering = time.Second

// earlyTries is how often a move may be tried before a wait is over that our
// clock cannot bear.
const earlyTries = 2

var endpointMove = endpoint{"POST", "/api/bot/game/{id}/move/{uci}"}

// Move posts a move and returns nil once the server has it. It never waits for
// anything but a 429 to a move.
//
// When a reply is lost, the move is not sent again blindly: the list of games in
// play, read over a fresh connection, tells whether it arrived. (To read the
// game's stream instead would end the one that is open.) Meanwhile the caller,
// seeing the move in its stream, may cancel the context: Move then returns at
// once.
//
// After a 429 the move waits and is posted again; if that would cost more than
// half of our clock, it is tried at half the time left, and once more at half of
// the rest. When such a try succeeds, the moves of all games may go.
//
// Errors to expect: [ErrIllegalMove] when the server's rules do not allow the
// move, [*APIError] when the server refuses it for another reason (not our turn,
// game over), [*RateLimitError] when the clock is too short for the wait,
// [ErrMoveUnconfirmed] when only the game's stream can tell, and
// [ErrMoveInFlight].
func (c *Client) Move(ctx context.Context, m MoveRequest) error {
	if !c.inFlight.add(m.GameID) {
		return wrap(ErrMoveInFlight, "move "+excerpt(m.UCI)+" in game", m.GameID)
	}
	defer c.inFlight.remove(m.GameID)
	p := &posting{client: c, move: m, pauses: newBackOff(shortestPause, longestPause)}
	return wrap(p.run(ctx), "move "+excerpt(m.UCI)+" in game", m.GameID)
}

// posting is a move on its way.
type posting struct {
	client  *Client
	move    MoveRequest
	pauses  *backoff.ExponentialBackOff
	trouble time.Time // since when the network or the server fails; zero if not
	early   int       // tries before a wait was over
	doubt   error     // the last failure that left open whether the move arrived
}

// run tries until the move is with the server or nothing can be done.
func (p *posting) run(ctx context.Context) error {
	for {
		early, err := p.admit(ctx)
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
			p.trouble = time.Time{} // the server is there
		case errors.As(err, &network) && network.neverSent():
			if !p.pause(ctx) {
				return err
			}
		case network != nil || errors.Is(err, ErrUnavailable):
			p.doubt = err
			if arrived, err := p.settle(ctx); arrived || err != nil {
				return err
			}
		default:
			return p.refused(ctx, err)
		}
	}
}

// post makes one try. If the context ends first, most often because the stream
// has shown the move before the reply came, the exchange may linger: to cut it
// would cost the next move its warm connection.
func (p *posting) post(ctx context.Context, early bool) error {
	r := request{
		endpoint: endpointMove,
		args:     []string{p.move.GameID, p.move.UCI},
		early:    early,
		urgent:   true,
	}
	if p.move.OfferDraw {
		r.query = pairs("offeringDraw", "true")
	}
	exchange, cut := context.WithCancel(context.WithoutCancel(ctx))
	answered := make(chan error, 1)
	p.client.posts.Go(func() {
		defer cut()
		answered <- p.client.sendMove(exchange, r)
	})
	select {
	case err := <-answered:
		return err
	case <-ctx.Done():
		time.AfterFunc(lingering, cut)
		return fmt.Errorf("%s: %w", endpointMove, context.Cause(ctx))
	}
}

// admit waits until a move may be posted, and says whether that is early.
func (p *posting) admit(ctx context.Context) (early bool, err error) {
	for {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		wait, key := p.client.gates.closed(endpointMove)
		if wait <= 0 {
			return false, nil
		}
		left := time.Until(p.move.FlagAt)
		if p.move.FlagAt.IsZero() || wait <= left/2 {
			if err := p.client.gates.wait(ctx, endpointMove, wait); err != nil {
				return false, err
			}
			continue
		}
		if p.early == earlyTries || left <= 0 {
			return false, &RateLimitError{Endpoint: endpointMove.String(), RetryAfter: wait, Key: key, Local: true}
		}
		if err := p.client.gates.wait(ctx, endpointMove, left/2); err != nil {
			return false, err
		}
		if wait, _ := p.client.gates.closed(endpointMove); wait > 0 {
			p.early++
			return true, nil
		}
	}
}

// pause waits before the next try, and reports whether there is to be one.
func (p *posting) pause(ctx context.Context) bool {
	if p.trouble.IsZero() {
		p.trouble = time.Now()
	}
	end, wait := p.trouble.Add(moveRetryFor), p.pauses.NextBackOff()
	if flag := p.move.FlagAt; !flag.IsZero() {
		wait = min(wait, max(shortestPause, time.Until(flag)/pauseShare))
		if flag.Before(end) {
			end = flag
		}
	}
	return time.Until(end) > wait && sleep(ctx, wait) == nil
}
