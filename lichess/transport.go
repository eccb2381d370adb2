package lichess

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"time"

	"github.com/go-resty/resty/v2"
)

// transport is a connection pool of its own: requests on another never delay its
// requests.
type transport struct {
	http  *http.Client
	resty *resty.Client // sends by http
	sem   chan struct{} // held while a request is sent; nil if requests may overlap
}

// newTransport returns a transport whose requests have a timeout, 0 for none. It sends
// the token to the configured host only and does not follow redirects.
func (c *Client) newTransport(dial dialer, roots *x509.CertPool, timeout time.Duration) *transport {
	t := &transport{http: &http.Client{
		Transport: &authTransport{Transport: newHTTPTransport(dial, roots), client: c},
		Timeout:   timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}
	t.resty = resty.NewWithClient(t.http).SetBaseURL(c.base.String()).SetDisableWarn(true).SetLogger(discardLogger{})
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

// authTransport is the only place where the token is added to a request, and it
// rejects every host but the configured one. It embeds the transport for
// CloseIdleConnections.
type authTransport struct {
	*http.Transport
	client *Client
}

// RoundTrip adds the token and the User-Agent and sends the request.
func (t *authTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	base := t.client.base
	if r.URL.Scheme != base.Scheme || r.URL.Host != base.Host {
		return nil, fmt.Errorf("the token is for %s only, not for %s", base.Host, r.URL.Host)
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+t.client.token.reveal())
	r.Header.Set("User-Agent", t.client.userAgent())
	return t.Transport.RoundTrip(r)
}
