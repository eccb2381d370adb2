package lichess

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// call sends a request on the lane of calls. Where it is safe it is sent again:
// if it surely never arrived, or if it only reads and the network or the server
// failed. A refusal, 429 included, is final.
func (c *Client) call(ctx context.Context, r request) error {
	var last error
	try := func() (struct{}, error) {
		last = c.send(ctx, c.calls, r)
		if c.retryFor < 0 || !safeAgain(r, last) {
			return struct{}{}, backoff.Permanent(last)
		}
		return struct{}{}, last
	}
	_, err := backoff.Retry(ctx, try,
		backoff.WithBackOff(newBackOff(200*time.Millisecond, 10*time.Second)),
		backoff.WithMaxElapsedTime(c.retryFor))
	if err == nil || errors.Is(last, err) {
		return last
	}
	return fmt.Errorf("%w; no further try: %w", last, err) // the context ended in a pause
}

// safeAgain reports whether a failed request can do no harm when sent again, and
// may fare better.
func safeAgain(r request, err error) bool {
	var network *NetworkError
	if errors.As(err, &network) {
		return network.neverSent() || r.method == http.MethodGet && !network.untrusted()
	}
	return r.method == http.MethodGet && errors.Is(err, ErrUnavailable)
}

// newBackOff returns pauses that double from the first to the longest, each
// drawn from half to one and a half times that.
func newBackOff(first, longest time.Duration) *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{
		InitialInterval:     first,
		RandomizationFactor: 0.5,
		Multiplier:          2,
		MaxInterval:         longest,
	}
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
