package lichess

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// refusalPause is how long the server must know nothing of the token before it counts
	// as refused.
	refusalPause = 5 * time.Second
	// refusalMemory is how long one such answer counts towards the next.
	refusalMemory = time.Minute
)

// refusals are the answers in which the server did not know the token.
type refusals struct {
	mu            sync.Mutex
	first, latest time.Time
}

// add adds an answer, and reports whether the server has kept to it for refusalPause.
func (r *refusals) add() (confirmed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if now.Sub(r.latest) > refusalMemory {
		r.first = now
	}
	r.latest = now
	return now.Sub(r.first) >= refusalPause
}

// clear forgets the answers: the server does know the token.
func (r *refusals) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.latest = time.Time{}
}

// confirmRefusal returns the error of a request that may have been refused by mistake: a 401
// ends a bot, and all its games are lost. It matches [ErrUnauthorized] only once the server
// has confirmed, twice after a pause, that it does not accept the token. Until then it is
// temporary, as if something before the server had refused the request.
func (c *Client) confirmRefusal(ctx context.Context, refusal error) error {
	var api *APIError
	if !errors.As(refusal, &api) || !api.Is(ErrUnauthorized) || c.retryFor < 0 {
		return refusal
	}
	unconfirmed := *api
	unconfirmed.Explained = false
	switch accepted, err := c.acceptsToken(ctx); {
	case err != nil:
		unconfirmed.Message += "; the token could not be tested: " + err.Error()
	case accepted:
		c.refusals.clear()
		unconfirmed.Message += "; but the server knows the token"
	case c.refusals.add():
		return refusal
	default:
		unconfirmed.Message += "; to be confirmed"
	}
	return &unconfirmed
}

// acceptsToken asks the server once whether the token is valid and its account open.
func (c *Client) acceptsToken(ctx context.Context) (bool, error) {
	// By the transport of moves, since that of calls may be busy, and a move may wait.
	once := func(r request) error { return c.attempt(ctx, c.moves, r) }
	info, err := c.testToken(once)
	if err != nil || info == nil || !info.Expires.IsZero() && c.clock.now().After(info.Expires) {
		return false, err
	}
	var account Account
	err = once(request{endpoint: endpointUser, args: []string{info.UserID}, into: &account})
	return err == nil && !account.Disabled, err
}
