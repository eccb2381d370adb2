package lichess

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"time"
)

// newTransport returns a pool of connections. HTTP/2 would put all requests and
// streams on one connection, where a lost packet stops them all: it is off.
func newTransport(dial dialer, roots *x509.CertPool) *http.Transport {
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
		// Warm for the next move, yet given up before a server usually does: a
		// post into a connection that is being closed loses its reply.
		IdleConnTimeout:     50 * time.Second,
		MaxIdleConnsPerHost: 64,
		// Compression would hold back the lines of a stream.
		DisableCompression: true,
	}
}

// newHTTP returns an HTTP client that carries the token to the configured host
// and follows no redirect.
func (c *Client) newHTTP(transport *http.Transport, timeout time.Duration) *http.Client {
	return &http.Client{
		Transport: &guard{Transport: transport, client: c},
		Timeout:   timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

// guard is the one place where the token joins a request, and it refuses every
// host but the configured one. It embeds the transport for CloseIdleConnections.
type guard struct {
	*http.Transport
	client *Client
}

// RoundTrip adds the token and the User-Agent and sends the request.
func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	base := g.client.base
	if r.URL.Scheme != base.Scheme || r.URL.Host != base.Host {
		return nil, fmt.Errorf("the token is for %s only, not for %s", base.Host, r.URL.Host)
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+g.client.token.reveal())
	r.Header.Set("User-Agent", g.client.userAgent())
	return g.Transport.RoundTrip(r)
}
