package lichess

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// call sends a request on the transport of calls, and retries it where that is
// safe: if it certainly never arrived, or if it only reads and the network or the
// server failed. An error response, 429 included, is final.
func (c *Client) call(ctx context.Context, r request) error {
	var lastErr error
	attempt := func() (struct{}, error) {
		lastErr = c.send(ctx, c.calls, r)
		if c.retryFor < 0 || !canRetry(r, lastErr) {
			return struct{}{}, backoff.Permanent(lastErr)
		}
		return struct{}{}, lastErr
	}
	_, err := backoff.Retry(ctx, attempt,
		backoff.WithBackOff(newBackOff(200*time.Millisecond, 10*time.Second)),
		backoff.WithMaxElapsedTime(c.retryFor))
	if err == nil || errors.Is(lastErr, err) {
		return lastErr
	}
	return fmt.Errorf("%w; no further attempt: %w", lastErr, err) // the context ended during a pause
}

// canRetry reports whether a failed request is safe to send again and may then
// succeed.
func canRetry(r request, err error) bool {
	var network *NetworkError
	if errors.As(err, &network) {
		return network.neverSent() || r.method == http.MethodGet && !network.certificateRejected()
	}
	return r.method == http.MethodGet && errors.Is(err, ErrUnavailable)
}

// newBackOff returns an exponential backoff that doubles from first to longest,
// with a jitter of ±50%.
func newBackOff(first, longest time.Duration) *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{
		InitialInterval:     first,
		RandomizationFactor: 0.5,
		Multiplier:          2,
		MaxInterval:         longest,
	}
}

// sleep waits for d, or returns the cause if the context ends first.
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
