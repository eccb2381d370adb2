package lichess

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/cenkalti/backoff/v5"
)

// MoveRequest is a move to post.
type MoveRequest struct {
	GameID    string
	UCI       string // such as e2e4, e7e8q, N@f7
	OfferDraw bool   // or accept the opponent's offer
	// Ply is the number of moves played before this one, as the FEN of the current
	// position counts them. It tells a lost response from a lost move.
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

var endpointMove = post("/api/bot/game/{id}/move/{uci}")

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
	r := request{
		endpoint: endpointMove,
		action:   "move " + excerpt(m.UCI) + " in game",
		args:     []string{m.GameID, m.UCI},
		urgent:   true,
	}
	if m.OfferDraw {
		r.query = singleParam("offeringDraw", "true")
	}
	if _, another := c.inFlight.LoadOrStore(m.GameID, nil); another {
		return r.wrap(ErrMoveInFlight)
	}
	defer c.inFlight.Delete(m.GameID)
	a := &moveAttempt{client: c, move: m, request: r, pauses: newBackOff(minPause, maxPause)}
	return r.wrap(a.run(ctx))
}

// moveAttempt is a move being posted. It belongs to the goroutine that called Move.
type moveAttempt struct {
	client        *Client
	move          MoveRequest
	request       request
	pauses        *backoff.ExponentialBackOff
	failingSince  time.Time // when the network or the server began to fail; zero if it works
	earlyAttempts int       // attempts before a wait was over
	ambiguousErr  error     // the last failure after which the move may have arrived
}

// run retries until the move is accepted or cannot be.
func (a *moveAttempt) run(ctx context.Context) error {
	for {
		early, err := a.waitForLimit(ctx)
		if err != nil {
			return err
		}
		err = a.post(ctx, early)
		var network *NetworkError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return err
		case errors.As(err, new(*RateLimitError)):
			a.failingSince = time.Time{} // the server is reachable
		case errors.As(err, &network) && network.notSent:
			if !a.pause(ctx) {
				return err
			}
		case network != nil || errors.Is(err, ErrUnavailable):
			a.request.fresh = true
			a.ambiguousErr = err
			if arrived, err := a.resolve(ctx); arrived || err != nil {
				return err
			}
		default:
			return a.handleRejection(ctx, err)
		}
	}
}

// post makes one attempt. If the context ends first, usually because the stream has
// shown the move before the response arrived, or if that is late, the request may continue
// for drainTimeout: to cut it would cost the next move its warm connection.
func (a *moveAttempt) post(ctx context.Context, early bool) error {
	ctx, stop := context.WithTimeoutCause(ctx, a.client.moveTimeout,
		&NetworkError{Endpoint: endpointMove.String(), Err: context.DeadlineExceeded})
	defer stop()
	r := a.request
	r.early = early
	exchange, cut := context.WithCancel(context.WithoutCancel(ctx))
	answered := make(chan error, 1)
	a.client.onWire.Go(func() {
		defer cut()
		answered <- a.client.send(exchange, a.client.moves, r)
	})
	select {
	case err := <-answered:
		return err
	case <-ctx.Done():
		time.AfterFunc(drainTimeout, cut)
		return context.Cause(ctx)
	}
}

// waitForLimit waits until a move may be posted, and reports whether that is before
// the wait is over.
func (a *moveAttempt) waitForLimit(ctx context.Context) (early bool, err error) {
	for {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		wait, key := a.client.limiter.blockedFor(endpointMove)
		if wait <= 0 {
			return false, nil
		}
		flag := a.move.FlagAt
		capped, early := CapToClock(wait, flag)
		if early && a.earlyAttempts == maxEarlyAttempts || !flag.IsZero() && time.Until(flag) <= 0 {
			return false, &RateLimitError{Endpoint: endpointMove.String(), RetryAfter: wait, Key: key, Local: true}
		}
		if err := a.client.limiter.wait(ctx, endpointMove, capped); err != nil {
			return false, err
		}
		if wait, _ := a.client.limiter.blockedFor(endpointMove); early && wait > 0 {
			a.earlyAttempts++
			return true, nil
		}
	}
}

// CapToClock caps a wait to half of the time left on a clock that runs out at flag,
// which is zero for no clock, and reports whether it had to. A wait after that time is
// not capped.
func CapToClock(wait time.Duration, flag time.Time) (capped time.Duration, early bool) {
	left := time.Until(flag)
	if left <= 0 || wait <= left/2 {
		return wait, false
	}
	return left / 2, true
}

// pause waits before the next attempt and reports whether there is time for one.
func (a *moveAttempt) pause(ctx context.Context) bool {
	if a.failingSince.IsZero() {
		a.failingSince = time.Now()
	}
	end, wait := a.failingSince.Add(moveRetryFor), a.pauses.NextBackOff()
	if flag := a.move.FlagAt; !flag.IsZero() {
		wait = min(wait, max(minPause, time.Until(flag)/pauseDivisor))
		if flag.Before(end) {
			end = flag
		}
	}
	return time.Until(end) > wait && Sleep(ctx, wait) == nil
}

// resolve finds out whether a move whose response was lost has arrived. It returns
// false without error if it certainly has not.
func (a *moveAttempt) resolve(ctx context.Context) (arrived bool, err error) {
	for a.pause(ctx) {
		arrived, known, err := a.look(ctx)
		if IsTemporary(err) && !errors.As(err, new(*RateLimitError)) { // after a 429 another would fail, too
			continue
		}
		if !known {
			break
		}
		return arrived, nil
	}
	if ctx.Err() != nil {
		return false, fmt.Errorf("%w: %w", ErrMoveUnconfirmed, context.Cause(ctx))
	}
	return false, fmt.Errorf("%w: %w", ErrMoveUnconfirmed, a.ambiguousErr)
}

// handleRejection handles an error response. After a lost response it may mean that
// the move had arrived after all.
func (a *moveAttempt) handleRejection(ctx context.Context, rejection error) error {
	if a.ambiguousErr != nil {
		if arrived, _, _ := a.look(ctx); arrived {
			return nil
		}
	}
	if isAboutMove(rejection, a.move.UCI) {
		return fmt.Errorf("%w: %w", ErrIllegalMove, rejection)
	}
	return rejection
}

// isAboutMove reports whether a rejection is about the move itself: its message
// names a square of the move, as in "Piece on e2 cannot move to e5", or its
// notation. "Not your turn, or game already over" and the like do not.
func isAboutMove(rejection error, uci string) bool {
	var api *APIError
	if !errors.As(rejection, &api) || api.StatusCode != http.StatusBadRequest || !api.Explained {
		return false
	}
	words := strings.FieldsFunc(api.Message, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(words, func(word string) bool {
		return word == "UCI" || len(word) == 2 && strings.Contains(uci, word)
	})
}

// look reads the list of games, and reports whether the move has arrived. That is not known
// of a game that is no longer listed: it has ended, with this move or without.
func (a *moveAttempt) look(ctx context.Context) (arrived, known bool, err error) {
	var list GameList
	if err = a.client.send(ctx, a.client.moves, list.request()); err == nil {
		arrived, known = a.arrivedIn(&list)
	}
	return arrived, known, err
}

func (a *moveAttempt) arrivedIn(list *GameList) (arrived, known bool) {
	game := list.Find(a.move.GameID)
	if game == nil {
		return false, false
	}
	played, ok := plies(game.FEN)
	lost := ok && played == a.move.Ply
	arrived = !lost && (!game.IsMyTurn || ok && played > a.move.Ply)
	return arrived, arrived || lost
}

// maxMoveNumber bounds the move number of a FEN.
const maxMoveNumber = 1 << 16

// plies returns the number of plies since the start position, from a FEN.
func plies(fen string) (n int, ok bool) {
	fields := strings.Fields(fen)
	if len(fields) != 6 {
		return 0, false
	}
	number, err := strconv.Atoi(fields[5])
	if err != nil || number < 1 || number > maxMoveNumber {
		return 0, false
	}
	n = 2 * (number - 1)
	if fields[1] == "b" {
		n++
	}
	return n, true
}
