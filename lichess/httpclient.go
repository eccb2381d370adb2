package lichess

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"time"
)

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
