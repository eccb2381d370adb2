package lichess

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
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

// earlyTries is how often a move may be tried before a wait is over, if our
// clock would run out first.
const earlyTries = 2

var endpointMove = endpoint{"POST", "/api/bot/game/{id}/move/{uci}"}

// Move posts a move and returns nil once the server has it. It never waits for
// anything but the moves' own 429.
//
// When a reply is lost, the move is not sent again blindly: the list of games in
// play, read over a fresh connection, tells whether it arrived. (To read the
// game's stream instead would end the one that is open.) Meanwhile the caller,
// seeing the move in its stream, may cancel the context.
//
// After a 429 the move waits and is posted again; if our clock would run out
// first, it is tried at half the time left, and once more at half of the rest.
//
// Errors to expect: [*APIError] when the server refuses the move (not our turn,
// game over), [*RateLimitError] when the clock is too short for the wait,
// [ErrMoveUnconfirmed] when only the game's stream can tell, and
// [ErrMoveInFlight].
func (c *Client) Move(ctx context.Context, m MoveRequest) error {
	if !c.inFlight.add(m.GameID) {
		return wrap(ErrMoveInFlight, "move "+excerpt(m.UCI)+" in game", m.GameID)
	}
	defer c.inFlight.remove(m.GameID)
	p := &posting{client: c, move: m, began: time.Now(), pauses: newMovePauses()}
	return wrap(p.run(ctx), "move "+excerpt(m.UCI)+" in game", m.GameID)
}

// posting is a move on its way.
type posting struct {
	client *Client
	move   MoveRequest
	began  time.Time
	pauses *backoff.ExponentialBackOff
	early  int   // tries before a wait was over
	doubt  error // the first failure that left open whether the move arrived
}

// newMovePauses returns the pauses between tries of a move.
func newMovePauses() *backoff.ExponentialBackOff {
	pauses := newBackOff()
	pauses.InitialInterval = 50 * time.Millisecond
	pauses.MaxInterval = 2 * time.Second
	return pauses
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
			continue
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

// post makes one try.
func (p *posting) post(ctx context.Context, early bool) error {
	r := request{
		endpoint: endpointMove,
		args:     []string{p.move.GameID, p.move.UCI},
		early:    early,
	}
	if p.move.OfferDraw {
		r.query = pairs("offeringDraw", "true")
	}
	return p.client.send(ctx, p.client.moves, r)
}

// admit waits until a move may be posted, and says whether that is early.
func (p *posting) admit(ctx context.Context) (early bool, err error) {
	for {
		wait, key := p.client.gates.closed(endpointMove)
		if wait <= 0 {
			return false, nil
		}
		left := time.Until(p.move.FlagAt)
		if p.move.FlagAt.IsZero() || wait < left {
			if err := sleep(ctx, wait); err != nil {
				return false, err
			}
			continue
		}
		if p.early == earlyTries || left <= 0 {
			return false, &RateLimitError{Endpoint: endpointMove.String(), RetryAfter: wait, Key: key, Local: true}
		}
		p.early++
		return true, sleep(ctx, left/2)
	}
}

// settle finds out whether the move of a lost reply arrived. It returns false
// without error if it surely did not.
func (p *posting) settle(ctx context.Context) (arrived bool, err error) {
	for p.pause(ctx) {
		games, err := p.client.playing(ctx, p.client.sendMove)
		if err != nil {
			if ctx.Err() == nil && IsTemporary(err) && !isLimited(err) {
				continue
			}
			break
		}
		switch p.find(games) {
		case moveArrived:
			return true, nil
		case moveLost:
			return false, nil
		}
		break
	}
	return false, fmt.Errorf("%w: %w", ErrMoveUnconfirmed, p.doubt)
}

// refused handles the server's no: after a lost reply it may only mean that the
// move arrived after all.
func (p *posting) refused(ctx context.Context, refusal error) error {
	if p.doubt == nil {
		return refusal
	}
	games, err := p.client.playing(ctx, p.client.sendMove)
	if err == nil && p.find(games) == moveArrived {
		return nil
	}
	return refusal
}

// sendMove sends a request on the lane of moves.
func (c *Client) sendMove(ctx context.Context, r request) error {
	return c.send(ctx, c.moves, r)
}

// moveFate is what the list of games says about a move.
type moveFate int

const (
	moveUnknown moveFate = iota
	moveArrived
	moveLost
)

// find looks the move up. A game that is no longer listed has ended, with this
// move or without.
func (p *posting) find(games []Game) moveFate {
	for _, game := range games {
		if game.ID != p.move.GameID {
			continue
		}
		played, ok := plies(game.FEN)
		switch {
		case !game.IsMyTurn, ok && played > p.move.Ply:
			return moveArrived
		case ok && played == p.move.Ply:
			return moveLost
		}
	}
	return moveUnknown
}

// plies reads from a FEN how many moves were played since the start position.
func plies(fen string) (n int, ok bool) {
	fields := strings.Fields(fen)
	if len(fields) != 6 {
		return 0, false
	}
	number, err := strconv.Atoi(fields[5])
	if err != nil || number < 1 {
		return 0, false
	}
	n = 2 * (number - 1)
	if fields[1] == "b" {
		n++
	}
	return n, true
}

// pause waits before the next try, and reports whether there is to be one: while
// the clock runs, and no longer than any request is retried.
func (p *posting) pause(ctx context.Context) bool {
	next := time.Now().Add(p.pauses.NextBackOff())
	if next.Sub(p.began) > p.client.retryFor {
		return false
	}
	if !p.move.FlagAt.IsZero() && next.After(p.move.FlagAt) {
		return false
	}
	return sleep(ctx, time.Until(next)) == nil
}

func isLimited(err error) bool {
	var limited *RateLimitError
	return errors.As(err, &limited)
}

// sleep waits, or returns why the context ended.
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

// gameSet is a set of game ids.
type gameSet struct {
	mu  sync.Mutex
	ids map[string]bool
}

func newGameSet() *gameSet { return &gameSet{ids: make(map[string]bool)} }

// add reports whether the game was new to the set.
func (s *gameSet) add(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids[id] {
		return false
	}
	s.ids[id] = true
	return true
}

func (s *gameSet) remove(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ids, id)
}
