package lichess

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/go-resty/resty/v2"
)

// maxBody bounds a response body in bytes; 512 online bots are about 1 MiB.
const maxBody = 4 << 20

// transport has its own connection pool, so that requests on another transport never
// delay its own.
type transport struct {
	http  *http.Client
	resty *resty.Client // nil if requests have no body and must be fast
	sem   chan struct{} // held while a request is sent; nil if requests may overlap
}

func (c *Client) newTransport(dial dialer, roots *x509.CertPool, timeout time.Duration) *transport {
	return &transport{http: c.newHTTPClient(newHTTPTransport(dial, roots), timeout)}
}

// withBodies enables requests with forms and text bodies.
func (t *transport) withBodies() *transport {
	t.resty = resty.NewWithClient(t.http).
		SetResponseBodyLimit(maxBody).
		SetDisableWarn(true).
		SetLogger(discardLogger{})
	return t
}

// discardLogger keeps resty from logging: this package does not log.
type discardLogger struct{}

func (discardLogger) Errorf(string, ...any) {}
func (discardLogger) Warnf(string, ...any)  {}
func (discardLogger) Debugf(string, ...any) {}

// acquire waits for the semaphore and returns its release function.
func (t *transport) acquire(ctx context.Context) (release func(), err error) {
	if t.sem == nil {
		return func() {}, nil
	}
	select {
	case t.sem <- struct{}{}:
		return func() { <-t.sem }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// response is a response of the server, read to its end.
type response struct {
	status int
	header http.Header
	body   []byte
}

// exchange sends a request and reads its response.
func (t *transport) exchange(ctx context.Context, r *request, target string) (*response, error) {
	if t.resty == nil {
		return t.do(ctx, r, target)
	}
	req := t.resty.R().SetContext(ctx)
	switch {
	case r.form != nil:
		req.SetFormDataFromValues(r.form)
	case r.text != "":
		req.SetHeader("Content-Type", "text/plain").SetBody(r.text)
	case r.method == http.MethodPost:
		// By default, resty sends the empty body of a command in chunks.
		req.SetHeader("Content-Type", formType).SetBody([]byte{})
	}
	resp, err := req.Execute(r.method, target)
	if err != nil {
		return nil, err
	}
	return &response{resp.StatusCode(), resp.Header(), resp.Body()}, nil
}

const formType = "application/x-www-form-urlencoded"

// do sends a request without a body.
func (t *transport) do(ctx context.Context, r *request, target string) (*response, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, target, nil)
	if err != nil {
		return nil, err
	}
	if r.method == http.MethodPost {
		req.Header.Set("Content-Type", formType)
	}
	resp, err := t.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // the body has been read
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > maxBody:
		return nil, resty.ErrResponseBodyTooLarge
	}
	return &response{resp.StatusCode, resp.Header, body}, nil
}

// send makes one attempt on a transport, unless the class is blocked.
func (c *Client) send(ctx context.Context, t *transport, r request) error {
	target, err := r.url(c.base)
	if err != nil {
		return err
	}
	release, err := t.acquire(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", r.endpoint, err)
	}
	defer release()
	if err := c.limiter.admit(r); err != nil {
		return err
	}
	start := time.Now()
	resp, err := t.exchange(ctx, &r, target)
	if err != nil {
		err = c.transportError(ctx, r.endpoint, err)
		c.report(r.endpoint, 0, start, err)
		t.dropIdle(err)
		return err
	}
	err = c.decodeResponse(r, resp.status, resp.header, resp.body)
	c.report(r.endpoint, resp.status, start, err)
	return err
}

// dropIdle closes idle connections after a network error: the next attempt must not
// use one that may be dead too.
func (t *transport) dropIdle(err error) {
	var network *NetworkError
	if errors.As(err, &network) {
		t.http.CloseIdleConnections()
	}
}

// transportError converts a failed exchange into an error with the endpoint.
func (c *Client) transportError(ctx context.Context, e endpoint, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", e, context.Cause(ctx))
	}
	if errors.Is(err, resty.ErrResponseBodyTooLarge) {
		return fmt.Errorf("%s: response of more than %d bytes", e, maxBody)
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err // without method and URL
	}
	if shown := c.token.redact(err.Error()); shown != err.Error() {
		err = errors.New(shown)
	}
	return &NetworkError{Endpoint: e.String(), Err: err}
}

// report passes a request to the observer.
func (c *Client) report(e endpoint, status int, start time.Time, err error) {
	if c.observe == nil {
		return
	}
	o := Observation{Endpoint: e.String(), Status: status, Duration: time.Since(start), Err: err}
	var limited *RateLimitError
	if errors.As(err, &limited) {
		o.Wait = limited.RetryAfter
	}
	c.observe(o)
}

// newHTTPTransport returns a connection pool. HTTP/2 is off: it would put all
// requests and streams on one connection, where a lost packet delays them all.
func newHTTPTransport(dial dialer, roots *x509.CertPool) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:       http.ProxyFromEnvironment,
		DialContext: dial,
		Protocols:   protocols,
		TLSClientConfig: &tls.Config{
			MinVersion:         tls.VersionTLS12,
			RootCAs:            roots,
			ClientSessionCache: tls.NewLRUClientSessionCache(0), // quick redials
		},
		TLSHandshakeTimeout: 5 * time.Second,
		// Long enough to be warm for the next move, but shorter than the usual limit of
		// servers: a request on a connection that is being closed loses its response.
		IdleConnTimeout:     50 * time.Second,
		MaxIdleConnsPerHost: 64,
		// Compression would delay the lines of a stream.
		DisableCompression: true,
	}
}

// newHTTPClient returns an HTTP client that sends the token to the configured host
// only and does not follow redirects.
func (c *Client) newHTTPClient(base *http.Transport, timeout time.Duration) *http.Client {
	return &http.Client{
		Transport: &authTransport{Transport: base, client: c},
		Timeout:   timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

// authTransport is the only place where the token is added to a request, and it
// rejects every host but the configured one. It embeds the transport for
// CloseIdleConnections.
type authTransport struct {
	*http.Transport
	client *Client
}

// RoundTrip adds the token and the User-Agent and sends the request.
func (g *authTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	base := g.client.base
	if r.URL.Scheme != base.Scheme || r.URL.Host != base.Host {
		return nil, fmt.Errorf("the token is for %s only, not for %s", base.Host, r.URL.Host)
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+g.client.token.reveal())
	r.Header.Set("User-Agent", g.client.userAgent())
	return g.Transport.RoundTrip(r)
}
