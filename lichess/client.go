package lichess

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"
	"golang.org/x/sync/singleflight"
)

// DefaultURL is the default server of a client.
const DefaultURL = "https://lichess.org"

// defaultIdle is almost three keep-alive intervals of Lichess.
const defaultIdle = 20 * time.Second

// Options configure a [Client]. Only Token is required.
type Options struct {
	Token Token
	URL   string // scheme and host; default [DefaultURL]

	// UserAgent is the name and version of the program, such as "mybot/1.2", to which
	// the account's name is added once it is known. Default "zhbot/dev".
	UserAgent string

	// Connect connects to an IP address and port; default a TCP connection.
	Connect func(ctx context.Context, network, address string) (net.Conn, error)

	// RootCAs are the certificate authorities to trust; nil means the system's.
	RootCAs *x509.CertPool

	StreamIdle  time.Duration // silence after which a stream is stalled; default 20 s
	MoveTimeout time.Duration // per attempt to post a move; default 2 s
	CallTimeout time.Duration // per attempt of any other request; default 5 s
	RetryFor    time.Duration // how long failed calls are retried; default 60 s, negative disables retries

	// Observe, if set, is called after each request. It is called from several
	// goroutines at once and must return quickly.
	Observe func(Observation)
}

// Observation is the outcome of one request, for metrics and logs.
type Observation struct {
	Endpoint string        // method and path template: the class of endpoint
	Status   int           // HTTP status, 0 without a response
	Duration time.Duration // to the end of the response; for streams to its headers
	Wait     time.Duration // how long the class is blocked after a 429
	Err      error
}

// Client accesses Lichess with one token. It is safe for concurrent use.
type Client struct {
	// What stays as it was made:
	base       *url.URL
	token      Token
	agent      string // the program's name and version
	observe    func(Observation)
	moves      *transport
	calls      *transport // one at a time, but for concurrent ones
	streams    *transport // without a timeout
	fresh      *transport // for what must not use a connection that may be dead
	dialer     *dialer    // of these transports
	streamIdle time.Duration
	retryFor   time.Duration
	// moveTimeout is after how long an unanswered move is looked for in the list of games.
	moveTimeout time.Duration

	// What changes, each safe for concurrent use:
	limiter  *rateLimiter
	clock    serverClock
	refusals refusals               // of the token
	username atomic.Pointer[string] // for the User-Agent, nil until known
	inFlight sync.Map               // the ids of games with a move in flight
	onWire   sync.WaitGroup         // moves and lists on the wire, even if their caller has given up
	closing  context.Context        // of lists on the wire
	endLists context.CancelFunc
	lists    singleflight.Group // the next request for the list of games
	listing  chan struct{}      // held while one is in flight
}

// New returns a client without sending any request.
func New(o Options) (*Client, error) {
	connect := o.Connect
	if connect == nil {
		connect = new(net.Dialer).DialContext
	}
	return newClient(o, newDialer(net.DefaultResolver.LookupIPAddr, connect))
}

// newClient is New with a dialer, which tests replace.
func newClient(o Options, d *dialer) (*Client, error) {
	if o.Token.IsZero() {
		return nil, ErrNoToken
	}
	base, err := ParseBaseURL(cmp.Or(o.URL, DefaultURL), DefaultURL)
	if err != nil {
		return nil, fmt.Errorf("server URL %w", err)
	}
	c := &Client{
		base:        base,
		token:       o.Token,
		agent:       cmp.Or(o.UserAgent, "zhbot/dev"),
		observe:     o.Observe,
		limiter:     newRateLimiter(),
		streamIdle:  cmp.Or(o.StreamIdle, defaultIdle),
		retryFor:    cmp.Or(o.RetryFor, 60*time.Second),
		dialer:      d,
		listing:     make(chan struct{}, 1),
		moveTimeout: cmp.Or(o.MoveTimeout, 2*time.Second),
	}
	c.closing, c.endLists = context.WithCancel(context.Background())
	callTimeout := cmp.Or(o.CallTimeout, 5*time.Second)
	c.moves = c.newTransport(d.withPatience(0), o.RootCAs, c.moveTimeout+drainTimeout, true)
	c.calls = c.newTransport(d.withPatience(lookupPatience), o.RootCAs, callTimeout, true)
	c.calls.sem = make(chan struct{}, 1)
	c.streams = c.newTransport(d.withPatience(lookupPatience), o.RootCAs, 0, false)
	c.fresh = c.newTransport(d.withPatience(0), o.RootCAs, callTimeout, false)
	return c, nil
}

// closeTimeout bounds [Client.Close].
const closeTimeout = 3 * time.Second

// Close ends requests for lists of games, waits for moves on the wire, at most a second for
// those whose context has ended, closes idle connections and ends look-ups of the host. Streams
// end with their context. No method may be called after Close.
func (c *Client) Close() {
	c.endLists()
	closed, done := context.WithTimeout(context.Background(), closeTimeout)
	go func() {
		defer done()
		c.onWire.Wait()
		for _, t := range []*transport{c.moves, c.calls, c.streams} {
			t.GetClient().CloseIdleConnections()
		}
		c.dialer.close()
	}()
	<-closed.Done()
}

// setUserAgent adds the account's name to the User-Agent. Lichess rejects a name
// other than the token owner's, so it must come from the server.
func (c *Client) setUserAgent(name string) {
	if segment.MatchString(name) {
		c.username.Store(&name)
	}
}

// userAgent returns the program's name and version and, once known, the account.
func (c *Client) userAgent() string {
	agent := c.agent
	if user := c.username.Load(); user != nil {
		agent += " user:" + *user
	}
	return agent
}

// transport is a separate connection pool: requests on another never delay its requests.
type transport struct {
	*resty.Client
	sem chan struct{} // held while a request is sent; nil if requests may overlap
}

// newTransport returns a transport whose requests have a timeout, 0 for none, and use
// connections again that are idle, or each a new one. It sends the token to the configured host
// only and does not follow redirects.
func (c *Client) newTransport(dial dialFunc, roots *x509.CertPool, timeout time.Duration, reuse bool) *transport {
	pool := newHTTPTransport(dial, roots)
	pool.DisableKeepAlives = !reuse
	client := &http.Client{
		Transport:     &authTransport{Transport: pool, client: c},
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &transport{
		Client: resty.NewWithClient(client).SetBaseURL(c.base.String()).
			SetResponseBodyLimit(maxBody).SetLogger(discardLogger{}),
	}
}

// discardLogger keeps resty from logging: this package does not log.
type discardLogger struct{}

func (discardLogger) Errorf(string, ...any) {}
func (discardLogger) Warnf(string, ...any)  {}
func (discardLogger) Debugf(string, ...any) {}

// acquire waits until a request may be sent and returns the semaphore's release function.
func (t *transport) acquire(ctx context.Context, r request) (release func(), err error) {
	if t.sem == nil || r.concurrent {
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
func newHTTPTransport(dial dialFunc, roots *x509.CertPool) Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return Transport{&http.Transport{
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
		MaxIdleConnsPerHost: 200, // games
		// Compression would delay the lines of a stream.
		DisableCompression: true,
	}}
}

// authTransport is the only place where the token is added to a request, and it
// rejects every host but the configured one. It embeds the transport for
// CloseIdleConnections.
type authTransport struct {
	Transport
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

// ErrNoToken is returned for an empty token.
var ErrNoToken = errors.New("no token: create one with the scopes bot:play and challenge:read at " +
	"https://lichess.org/account/oauth/token")

// tokenPlaceholder is printed instead of a token.
const tokenPlaceholder = "[token]"

// Token is a Lichess access token that cannot be printed by accident: format verbs,
// errors of this package and encoders of text or JSON show a placeholder. Tokens may
// be 512 characters or longer.
type Token struct {
	// A pointer, because fmt calls no method on the unexported field of a
	// struct that holds a Token, but prints a nested pointer as an address.
	secret *string
}

// NewToken returns the token in s, without the surrounding white space that files and
// environment variables often have.
func NewToken(s string) (Token, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return Token{}, ErrNoToken
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return Token{}, fmt.Errorf("character %d of %d cannot be part of a token: want it alone, on one line",
				i+1, len(s))
		}
	}
	return Token{secret: &s}, nil
}

// IsZero reports whether the token is unset.
func (t Token) IsZero() bool { return t.secret == nil }

// String returns a placeholder, never the token.
func (t Token) String() string { return tokenPlaceholder }

// Format writes the placeholder for every verb.
func (t Token) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, tokenPlaceholder) }

// MarshalText returns the placeholder; encoders of JSON and YAML use it too.
func (t Token) MarshalText() ([]byte, error) { return []byte(tokenPlaceholder), nil }

// reveal returns the token itself, for the Authorization header and TestToken.
func (t Token) reveal() string {
	if t.secret == nil {
		return ""
	}
	return *t.secret
}

// redact replaces the token in text from the server, which may echo it.
func (t Token) redact(s string) string {
	if t.secret == nil {
		return s
	}
	return strings.ReplaceAll(s, *t.secret, tokenPlaceholder)
}
