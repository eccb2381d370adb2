package lichess

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultURL is the server a client talks to unless told otherwise.
const DefaultURL = "https://lichess.org"

// defaultIdle is almost three of Lichess's keep-alives.
const defaultIdle = 20 * time.Second

// Options set up a [Client]. Only Token is needed.
type Options struct {
	Token   Token
	URL     string // scheme and host; default [DefaultURL]
	Version string // of this program, for the User-Agent; default "dev"

	// RootCAs are the certificate authorities to trust; nil means the system's.
	RootCAs *x509.CertPool

	StreamIdle  time.Duration // silence after which a stream is stalled; default 20 s
	OpenTimeout time.Duration // of a game's stream, to its first byte; default 3 s, and never more than StreamIdle
	MoveTimeout time.Duration // of one try to post a move; default 2 s
	CallTimeout time.Duration // of one try of anything else; default 5 s
	RetryFor    time.Duration // how long a call is tried again; default 60 s, negative: not at all

	// Observe is told of each request after its answer; nil means nobody is. It
	// is called from many goroutines and must return quickly.
	Observe func(Observation)
}

// Observation is one request and what became of it, for metrics and logs.
type Observation struct {
	Endpoint string        // method and path template: the class of endpoint
	Status   int           // 0 without an answer
	Duration time.Duration // to the end of the answer; for streams to its start
	Wait     time.Duration // how long the class is closed, after a 429
	Err      error
}

// Client talks to Lichess with one token. It is safe for concurrent use.
type Client struct {
	base    *url.URL
	token   Token
	version string
	user    atomic.Pointer[string] // named in the User-Agent once it is known
	observe func(Observation)

	gates   *gates
	moves   *lane
	calls   *lane
	streams *http.Client

	streamIdle time.Duration
	openIn     time.Duration // the first byte of a game's stream
	retryFor   time.Duration
	inFlight   *gameSet       // games with a move in flight
	posts      sync.WaitGroup // moves on the wire, awaited or not
}

// dialer connects to an address; tests use networks of their own.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// New returns a client. It sends nothing.
func New(o Options) (*Client, error) {
	return newClient(o, (&net.Dialer{Timeout: 5 * time.Second}).DialContext)
}

func newClient(o Options, dial dialer) (*Client, error) {
	if o.Token.IsZero() {
		return nil, ErrNoToken
	}
	base, err := parseBase(cmp.Or(o.URL, DefaultURL))
	if err != nil {
		return nil, err
	}
	c := &Client{
		base:       base,
		token:      o.Token,
		version:    cmp.Or(o.Version, "dev"),
		observe:    o.Observe,
		gates:      newGates(),
		streamIdle: cmp.Or(o.StreamIdle, defaultIdle),
		openIn:     min(cmp.Or(o.OpenTimeout, 3*time.Second), cmp.Or(o.StreamIdle, defaultIdle)),
		retryFor:   cmp.Or(o.RetryFor, 60*time.Second),
		inFlight:   newGameSet(),
	}
	c.moves = c.newLane(dial, o.RootCAs, cmp.Or(o.MoveTimeout, 2*time.Second))
	c.calls = c.newLane(dial, o.RootCAs, cmp.Or(o.CallTimeout, 5*time.Second)).withBodies()
	c.calls.turn = make(chan struct{}, 1)
	c.streams = c.newHTTP(newTransport(dial, o.RootCAs), 0)
	return c, nil
}

// Close waits for moves that are still on the wire, a second at most if nobody
// else does, and closes idle connections. Streams end by themselves or with
// their context. No method may be called after Close.
func (c *Client) Close() {
	c.posts.Wait()
	c.moves.http.CloseIdleConnections()
	c.calls.http.CloseIdleConnections()
	c.streams.CloseIdleConnections()
}

// nameUser adds the account's name to the User-Agent. Lichess refuses a name
// that is not the token's, so it must come from the server.
func (c *Client) nameUser(name string) {
	if isSegment(name) {
		c.user.Store(&name)
	}
}

// userAgent names the program and, once it is known, the account.
func (c *Client) userAgent() string {
	agent := "zhbot/" + c.version
	if user := c.user.Load(); user != nil {
		agent += " user:" + *user
	}
	return agent
}

// parseBase reads the server's URL and refuses one that would show the token to
// a network.
func parseBase(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		var parse *url.Error
		if errors.As(err, &parse) {
			err = parse.Err // without the URL, which may hold a password
		}
		return nil, fmt.Errorf("server URL: %w: write it like %s", err, DefaultURL)
	}
	if complaint := baseComplaint(u); complaint != "" {
		return nil, fmt.Errorf("server URL %q: %s: write it like %s", u.Redacted(), complaint, DefaultURL)
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
}

// baseComplaint says what is wrong with the server's URL, if anything.
func baseComplaint(u *url.URL) string {
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return "it needs the scheme https"
	case u.Hostname() == "":
		return "it names no host"
	case u.User != nil:
		return "it holds a user name or password"
	case u.Path != "" && u.Path != "/":
		return "it has a path"
	case u.RawQuery != "" || u.Fragment != "":
		return "it has a query or a fragment"
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return "http would send the token unencrypted and is taken for this machine only"
	}
	return ""
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
