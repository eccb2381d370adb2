package lichess

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/go-resty/resty/v2"
)

// maxBody bounds an answer; 512 online bots are about 1 MiB.
const maxBody = 4 << 20

// lane is a way to the server with connections of its own, so that nothing on
// another lane can stand before it.
type lane struct {
	http *http.Client
	rest *resty.Client // nil if requests have no body, and no time for more than they need
	turn chan struct{} // holds whose turn it is; nil if requests may overlap
}

func (c *Client) newLane(dial dialer, roots *x509.CertPool, timeout time.Duration) *lane {
	return &lane{http: c.newHTTP(newTransport(dial, roots), timeout)}
}

// withBodies lets the requests of a lane have forms and texts.
func (l *lane) withBodies() *lane {
	l.rest = resty.NewWithClient(l.http).
		SetResponseBodyLimit(maxBody).
		SetDisableWarn(true).
		SetLogger(silent{})
	return l
}

// silent keeps resty from logging: this package returns errors.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}

// take waits for a turn and returns what gives it back.
func (l *lane) take(ctx context.Context) (release func(), err error) {
	if l.turn == nil {
		return func() {}, nil
	}
	select {
	case l.turn <- struct{}{}:
		return func() { <-l.turn }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// reply is an answer of the server.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// exchange sends a request and reads its answer.
func (l *lane) exchange(ctx context.Context, r *request, target string) (*reply, error) {
	if l.rest == nil {
		return l.exchangeBare(ctx, r, target)
	}
	outgoing := l.rest.R().SetContext(ctx)
	switch {
	case r.form != nil:
		outgoing.SetFormDataFromValues(r.form)
	case r.text != "":
		outgoing.SetHeader("Content-Type", "text/plain").SetBody(r.text)
	case r.method == http.MethodPost:
		// Left to itself, resty sends the empty body of a command in chunks.
		outgoing.SetHeader("Content-Type", formType).SetBody([]byte{})
	}
	answer, err := outgoing.Execute(r.method, target)
	if err != nil {
		return nil, err
	}
	return &reply{answer.StatusCode(), answer.Header(), answer.Body()}, nil
}

const formType = "application/x-www-form-urlencoded"

// exchangeBare sends a request that has no body.
func (l *lane) exchangeBare(ctx context.Context, r *request, target string) (*reply, error) {
	outgoing, err := http.NewRequestWithContext(ctx, r.method, target, nil)
	if err != nil {
		return nil, err
	}
	if r.method == http.MethodPost {
		outgoing.Header.Set("Content-Type", formType)
	}
	answer, err := l.http.Do(outgoing)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // all that counts of it is read
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > maxBody:
		return nil, resty.ErrResponseBodyTooLarge
	}
	return &reply{answer.StatusCode, answer.Header, body}, nil
}

// send makes one try on a lane: when it has the turn and its class is open.
func (c *Client) send(ctx context.Context, l *lane, r request) error {
	target, err := r.url(c.base)
	if err != nil {
		return err
	}
	release, err := l.take(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", r.endpoint, err)
	}
	defer release()
	if err := c.gates.admit(r); err != nil {
		return err
	}
	began := time.Now()
	answer, err := l.exchange(ctx, &r, target)
	if err != nil {
		err = c.lost(ctx, r.endpoint, err)
		c.report(r.endpoint, 0, began, err)
		l.refresh(err)
		return err
	}
	err = c.judge(r, answer.status, answer.header, answer.body)
	c.report(r.endpoint, answer.status, began, err)
	return err
}

// refresh drops the pooled connections after a failure of the network: the next
// try must not take one that may be as dead.
func (l *lane) refresh(err error) {
	var network *NetworkError
	if errors.As(err, &network) {
		l.http.CloseIdleConnections()
	}
}

// lost turns a failure to exchange into an error that names the endpoint.
func (c *Client) lost(ctx context.Context, e endpoint, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", e, context.Cause(ctx))
	}
	if errors.Is(err, resty.ErrResponseBodyTooLarge) {
		return fmt.Errorf("%s: an answer of more than %d bytes", e, maxBody)
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err // without method and URL
	}
	if shown := c.token.scrub(err.Error()); shown != err.Error() {
		err = errors.New(shown)
	}
	return &NetworkError{Endpoint: e.String(), Err: err}
}

// report tells the observer of a request.
func (c *Client) report(e endpoint, status int, began time.Time, err error) {
	if c.observe == nil {
		return
	}
	o := Observation{Endpoint: e.String(), Status: status, Duration: time.Since(began), Err: err}
	var limited *RateLimitError
	if errors.As(err, &limited) {
		o.Wait = limited.RetryAfter
	}
	c.observe(o)
}
