package lichess

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// endpoint is a method and a path template: the class of requests by which Lichess
// limits rates.
type endpoint struct {
	method string
	path   string // template with arguments in braces
}

// String returns the method and the path template.
func (e endpoint) String() string { return e.method + " " + e.path }

// request is one request to an endpoint.
type request struct {
	endpoint
	args     []string // of the path template, in order
	query    url.Values
	form     url.Values   // body
	text     string       // body, if there is no form
	opponent OpponentKind // Bot counts against the daily limit of games between bots
	early    bool         // sent although its class is blocked
	urgent   bool         // sent although everything is blocked: our clock is running

	into any     // if set, receives the decoded JSON of the response
	raw  *[]byte // if set, receives the body
}

// url returns the request's URL on a server.
func (r *request) url(base *url.URL) (string, error) {
	path := r.path
	for _, arg := range r.args {
		from, to := strings.IndexByte(path, '{'), strings.IndexByte(path, '}')
		if !isSegment(arg) {
			return "", fmt.Errorf("%s: %q cannot be the %s", r.endpoint, excerpt(arg), path[from+1:to])
		}
		path = path[:from] + arg + path[to+1:]
	}
	u := *base
	u.Path = path
	u.RawQuery = r.query.Encode()
	return u.String(), nil
}

// isSegment reports whether an id, a name or a move, possibly from the network, is
// safe as a path segment.
func isSegment(s string) bool {
	const others = "-_@"
	for i := range len(s) {
		c := s[i] | 0x20
		letter := c >= 'a' && c <= 'z' || s[i] >= '0' && s[i] <= '9'
		if !letter && strings.IndexByte(others, s[i]) < 0 {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// singleParam returns a query with one parameter.
func singleParam(key, value string) url.Values { return url.Values{key: {value}} }

// wrap adds the failed action and its id to an error.
func wrap(err error, action, id string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", action, excerpt(id), err)
}

// excerpt makes untrusted text safe for a message: one line, printable, bounded.
func excerpt(s string) string {
	const maxLen = 160
	cut := len(s) > maxLen
	if cut {
		s = s[:maxLen]
	}
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "?"), isControlOrSpace), " ")
	if cut {
		s += "…"
	}
	return s
}

func isControlOrSpace(r rune) bool { return r <= ' ' || r >= 0x7f && r <= 0xa0 }

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
