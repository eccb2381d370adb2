package lichess

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/go-resty/resty/v2"
)

// endpoint is a method and a path template: the class of requests by which Lichess
// limits rates.
type endpoint struct {
	method string
	path   string // template with arguments in braces
}

// String returns the method and the path template.
func (e endpoint) String() string { return e.method + " " + e.path }

func get(path string) endpoint  { return endpoint{http.MethodGet, path} }
func post(path string) endpoint { return endpoint{http.MethodPost, path} }

// request is one request to an endpoint: what is sent, when it may be sent, and where
// the response goes.
type request struct {
	endpoint
	action string   // for errors, such as "join arena"
	args   []string // of the path template, in order; errors name the first
	query  url.Values
	form   url.Values // body
	text   string     // body, if there is no form

	opponent   OpponentKind // Bot counts against the daily limit of games between bots
	early      bool         // sent although its class is blocked
	urgent     bool         // sent although everything is blocked: our clock is running
	concurrent bool         // sent although another call is in flight: an opponent is waiting
	fresh      bool         // sent over a new connection: those that are idle may be dead, as that of the last attempt

	into any            // if set, receives the decoded JSON of the response
	list *GameList      // if set, receives the list of games, by a request that callers share
	raw  *[]byte        // if set, receives the body
	open *io.ReadCloser // if set, receives the body of a stream, unread

	emptyNotFound bool // Lichess's own 404 has no body, unlike that of a proxy
}

const formType = "application/x-www-form-urlencoded"

// build returns the request on a transport. Of a stream, resty does not read the response,
// which it would read to the end.
func (r *request) build(ctx context.Context, t *transport) (*resty.Request, error) {
	req := t.R().SetContext(ctx).SetDoNotParseResponse(r.open != nil).SetQueryParamsFromValues(r.query)
	for i, rest := range strings.Split(r.path, "{")[1:] {
		name, _, _ := strings.Cut(rest, "}")
		if !segment.MatchString(r.args[i]) {
			return nil, fmt.Errorf("%s: %q cannot be the %s", r.endpoint, excerpt(r.args[i]), name)
		}
		req.SetPathParam(name, r.args[i])
	}
	switch {
	case r.form != nil:
		req.SetFormDataFromValues(r.form)
	case r.text != "":
		req.SetHeader("Content-Type", "text/plain").SetBody(r.text)
	case r.method == http.MethodPost:
		// By default, resty sends the empty body of a command in chunks.
		req.SetHeader("Content-Type", formType).SetBody([]byte{})
	}
	return req, nil
}

// segment matches the ids, names and moves that are safe as a path segment; they may be
// from the network.
var segment = regexp.MustCompile(`^[A-Za-z0-9_@-]{1,64}$`)

// singleParam returns a query with one parameter.
func singleParam(key, value string) url.Values { return url.Values{key: {value}} }

// wrap adds the failed action to an error.
func (r *request) wrap(err error) error {
	switch {
	case err == nil:
		return nil
	case len(r.args) == 0:
		return fmt.Errorf("%s: %w", r.action, err)
	}
	return fmt.Errorf("%s %s: %w", r.action, excerpt(r.args[0]), err)
}

// fetch calls a request and returns its decoded response.
func fetch[T any](ctx context.Context, c *Client, r request) (*T, error) {
	v := new(T)
	r.into = v
	if err := c.call(ctx, r); err != nil {
		return nil, err
	}
	return v, nil
}

// call sends a request on the transport of calls, and retries it where that is
// safe: if it certainly never arrived, or if it only reads and the network or the
// server failed. An error response, 429 included, is final.
func (c *Client) call(ctx context.Context, r request) error {
	var lastErr error
	attempt := func() (struct{}, error) {
		err := c.send(ctx, c.calls, r)
		if network, ok := errors.AsType[*NetworkError](err); ok && !network.notSent {
			c.calls.GetClient().CloseIdleConnections() // the others may be dead, too
		}
		if err != nil && r.method == http.MethodGet && ctx.Err() != nil && IsTemporary(lastErr) && !IsTemporary(err) {
			err = fmt.Errorf("%w; no further attempt: %w", lastErr, err) // that was cut short
		}
		lastErr, r.fresh = err, true
		if c.retryFor < 0 || !canRetry(r, lastErr) {
			return struct{}{}, backoff.Permanent(lastErr)
		}
		return struct{}{}, lastErr
	}
	_, err := backoff.Retry(ctx, attempt,
		backoff.WithBackOff(newBackOff(200*time.Millisecond, 10*time.Second)),
		backoff.WithMaxElapsedTime(c.retryFor))
	if err != nil && !errors.Is(lastErr, err) { // the context ended during a pause
		lastErr = fmt.Errorf("%w; no further attempt: %w", lastErr, err)
	}
	return r.wrap(lastErr)
}

// canRetry reports whether a failed request is safe to send again and may then
// succeed.
func canRetry(r request, err error) bool {
	if network, ok := errors.AsType[*NetworkError](err); ok {
		return network.notSent || r.method == http.MethodGet
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

// Sleep waits, or returns the context's error.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// send makes one attempt at a request: the way of every request, whether it is a call,
// a move or a stream. A refusal of the token is confirmed.
func (c *Client) send(ctx context.Context, t *transport, r request) error {
	if r.list != nil {
		return c.shareList(ctx, r)
	}
	return c.confirmRefusal(ctx, c.attempt(ctx, t, r))
}

// attempt sends a request. Nothing is sent while the request's class is blocked.
func (c *Client) attempt(ctx context.Context, t *transport, r request) error {
	release, err := t.acquire(ctx, r)
	if err != nil {
		return fmt.Errorf("%s: %w: %w", r.endpoint, ErrNotSent, err)
	}
	defer release()
	if r.fresh {
		t = c.fresh
	}
	req, err := r.build(ctx, t)
	if err != nil {
		return err
	}
	if err := c.limiter.admit(r); err != nil {
		return err
	}
	start := time.Now()
	status, err := c.exchange(req, r)
	c.report(r.endpoint, status, start, err)
	return err
}

// exchange sends a request and receives its response. The status is 0 without a complete
// response.
func (c *Client) exchange(req *resty.Request, r request) (status int, err error) {
	connected := false
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected = true }}
	reply, err := req.SetContext(httptrace.WithClientTrace(req.Context(), trace)).Execute(r.method, r.path)
	// of a refusal, the status is sufficient
	if reply == nil || reply.RawResponse == nil || err != nil && reply.IsSuccess() {
		return 0, c.transportError(req.Context(), r.endpoint, connected, err)
	}
	c.clock.read(reply.Header())
	body := reply.Body()
	if r.open != nil && reply.IsSuccess() {
		*r.open = reply.RawBody()
	} else if r.open != nil {
		body, _ = io.ReadAll(io.LimitReader(reply.RawBody(), maxBody))
		_ = reply.RawBody().Close() // it has been read
	}
	return reply.StatusCode(), c.decodeResponse(r, reply.StatusCode(), reply.Header(), body)
}

// maxBody bounds a response body in bytes; 512 online bots are about 1 MiB.
const maxBody = 4 << 20

// decodeResponse decodes a successful response into the request's result, or
// returns the error of another.
func (c *Client) decodeResponse(r request, status int, h http.Header, body []byte) error {
	if status < 200 || status > 299 {
		if r.emptyNotFound && status == http.StatusNotFound && len(body) == 0 {
			body = []byte(`{"error":"Not found"}`)
		}
		return c.apiError(r.endpoint, status, h, body)
	}
	foreign := !json.Valid(body)
	if r.raw != nil { // lines, of which some may be invalid
		foreign = bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
	}
	if r.open == nil && foreign { // a proxy or a captive portal has answered
		text := excerpt(plainMessage(c.token.redact(string(body))))
		return fmt.Errorf("%s: invalid response (status %d): %w: %s",
			r.endpoint, status, ErrUnavailable, cmp.Or(text, "an empty body"))
	}
	if r.early {
		c.limiter.unblock(r.endpoint)
	}
	c.limiter.succeeded(r.endpoint)
	if r.raw != nil {
		*r.raw = body
	}
	if r.into == nil {
		return nil
	}
	if err := unmarshal(body, r.into); err != nil {
		return fmt.Errorf("%s: invalid response (status %d): %w", r.endpoint, status, err)
	}
	return nil
}

// transportError converts a failed exchange into an error with the endpoint. Without a
// connection, nothing was sent.
func (c *Client) transportError(ctx context.Context, e endpoint, connected bool, err error) error {
	switch {
	case ctx.Err() != nil && !connected:
		return fmt.Errorf("%s: %w: %w", e, ErrNotSent, context.Cause(ctx))
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", e, context.Cause(ctx))
	}
	if errors.Is(err, resty.ErrResponseBodyTooLarge) {
		return fmt.Errorf("%s: response of more than %d bytes", e, maxBody)
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err // without method and URL
	}
	err = explainTLS(c.base.Host, err)
	if shown := c.token.redact(err.Error()); shown != err.Error() {
		err = errors.New(shown)
	}
	return &NetworkError{Endpoint: e.String(), Err: err, notSent: !connected}
}

// report passes a request to the observer.
func (c *Client) report(e endpoint, status int, start time.Time, err error) {
	if c.observe == nil {
		return
	}
	o := Observation{Endpoint: e.String(), Status: status, Duration: time.Since(start), Err: err}
	if limited, ok := errors.AsType[*RateLimitError](err); ok {
		o.Wait = limited.RetryAfter
	}
	c.observe(o)
}
