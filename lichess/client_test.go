package lichess

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// secret is the token of every test; it must never appear in any output.
const secret = "lip_" + "Qm7vTZ0secretKX3"

// testClient returns a client of a server with the handler.
func testClient(t *testing.T, h http.Handler, change ...func(*Options)) *Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return clientOf(t, server.URL, change...)
}

// clientOf returns a client of the server at a URL.
func clientOf(t testing.TB, url string, change ...func(*Options)) *Client {
	t.Helper()
	o := testOptions(t, url, change...)
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func testOptions(t testing.TB, url string, change ...func(*Options)) Options {
	t.Helper()
	token, err := NewToken(secret)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{URL: url, Token: token, UserAgent: "zhbot/1.2.3"}
	for _, f := range change {
		f(&o)
	}
	return o
}

// noRetry makes a call's first failure final.
func noRetry(o *Options) { o.RetryFor = -1 }

// respond returns a handler that always sends the same response.
func respond(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// memoryNet is an in-memory network, so that synctest's clock can advance while
// connections wait.
type memoryNet struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
	count int // of connections accepted
}

// connection is the context key of a request's connection number.
type connection struct{}

// connContext numbers the connection in the context of its requests.
func (n *memoryNet) connContext(ctx context.Context, _ net.Conn) context.Context {
	n.count++
	return context.WithValue(ctx, connection{}, n.count)
}

// inBubble runs a subtest on the clock of synctest.
func inBubble(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

// bubbleClient returns a client whose server runs in the same synctest bubble.
func bubbleClient(t *testing.T, h http.Handler, change ...func(*Options)) *Client {
	t.Helper()
	network := &memoryNet{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0), ConnContext: network.connContext}
	go func() { _ = server.Serve(network) }()
	c, err := newClient(testOptions(t, "http://127.0.0.1:1", change...),
		newDialer(net.DefaultResolver.LookupIPAddr, network.dial))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		_ = server.Close()
	})
	return c
}

func (n *memoryNet) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case n.conns <- server:
		return client, nil
	case <-n.done:
		return nil, &net.OpError{Op: "dial", Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept, Close and Addr make the network a listener.
func (n *memoryNet) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.done:
		return nil, net.ErrClosed
	}
}

func (n *memoryNet) Close() error {
	n.once.Do(func() { close(n.done) })
	return nil
}

func (n *memoryNet) Addr() net.Addr { return &net.TCPAddr{} }

// Close does not wait for what hangs, such as a name server whose answer no context ends.
func TestClient_Close(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		defer close(free)
		c, err := newClient(testOptions(t, "https://example.com", noRetry),
			newDialer(func(context.Context, string) ([]net.IPAddr, error) {
				<-free
				return nil, net.ErrClosed
			}, nil))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Account(t.Context()); err == nil {
			t.Error("no error")
		}
		began := time.Now()
		if c.Close(); time.Since(began) != closeTimeout {
			t.Errorf("closed after %s", time.Since(began))
		}
	})
}

func TestClient_UserAgentNamesTheAccount(t *testing.T) {
	var agents []string
	names := []string{"zhBot", "zhBot", `no\r\nname`, `no\r\nname`}
	c := testClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		respond(http.StatusOK, `{"username":"`+names[len(agents)]+`"}`)(w, r)
		agents = append(agents, r.UserAgent())
	}))
	for _, name := range names {
		checkError(t, name, second(c.Account(t.Context())), "")
	}
	named := "zhbot/1.2.3 user:zhBot"
	if diff := cmp.Diff([]string{"zhbot/1.2.3", named, named, named}, agents); diff != "" {
		t.Errorf("agents (-want +got):\n%s", diff)
	}
}

func TestClient_BadArguments(t *testing.T) {
	c, ctx := testClient(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("sent %s %s", r.Method, r.RequestURI)
	})), t.Context()
	for want, err := range map[string]error{
		`"../../account" cannot be the id`: c.Abort(ctx, "../../account"),
		`"" cannot be the id`:              c.AcceptChallenge(ctx, "", Human),
		`"e2e4?x" cannot be the uci`:       c.Move(ctx, MoveRequest{GameID: "a", UCI: "e2e4?x"}),
		`xxx…" cannot be the id`:           c.Resign(ctx, strings.Repeat("x", 200)),
		`xxx" cannot be the id`:            c.Resign(ctx, strings.Repeat("x", 65)),
		`"a/b" cannot be the id`:           second(c.StreamGame(ctx, "a/b")),
		"limit is 100":                     second(c.UserStatuses(ctx, make([]string, maxUserStatuses+1)...)),
		"141 characters, counting":         c.Chat(ctx, "a", PlayerRoom, strings.Repeat("é", 141)),
		"142 characters, counting":         c.Chat(ctx, "a", PlayerRoom, strings.Repeat("😀", 71)),
	} {
		checkError(t, "arguments", err, want)
	}
}

// second drops an unused result.
func second[T any](_ T, err error) error { return err }

func TestNew(t *testing.T) {
	token, err := NewToken(" " + secret + "\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows(`
		                           |
		https://lichess.org        |
		https://lichess.dev:8443/  |
		http://localhost:9663      |
		http://127.0.0.1:80        |
		http://[::1]:80            |
		lichess.org                | lacks the scheme https
		ftp://lichess.org          | lacks the scheme https
		https://                   | names no host
		https://me:pw1@lichess.org | user name or password
		https://lichess.org/api    | has a path
		https://lichess.org?x=1    | has a query
		http://lichess.org         | to the network
		http://127.0.0.1.evil.org  | to the network
		https://me:pw1@li chess    | server URL
	`) {
		u, want := row[0], row[1]
		_, err := New(Options{URL: u, Token: token})
		if checkError(t, u, err, want); err != nil && strings.Contains(err.Error(), "pw1") {
			t.Errorf("%q: the error shows the password: %v", u, err)
		}
	}
	checkError(t, "no token", second(New(Options{})), ErrNoToken.Error())
}

// No redirect is followed, neither to another host nor on the same one.
func TestClient_NoRedirect(t *testing.T) {
	elsewhere := newServer(done)
	other := httptest.NewServer(elsewhere)
	defer other.Close()
	for _, to := range []string{other.URL + "/steal", "/api/elsewhere"} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			here := newServer(answerWith(status, http.Header{"Location": {to}}, ""))
			c := testClient(t, here)
			for _, err := range []error{
				second(c.Account(t.Context())),
				c.Move(t.Context(), e4),
				second(c.StreamGame(t.Context(), "a")),
			} {
				if !errors.Is(err, ErrRedirect) {
					t.Errorf("%d to %s: %v", status, to, err)
				}
			}
			if here.count() != 3 || elsewhere.count() != 0 {
				t.Errorf("%d to %s: %d requests, want 3, and %d to another host",
					status, to, here.count(), elsewhere.count())
			}
		}
	}
}

func TestAuthTransport_RejectsOtherHosts(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("got %q", r.Header.Get("Authorization"))
	}))
	defer other.Close()
	c := testClient(t, respond(http.StatusOK, ok))
	for _, sending := range []*transport{c.streams, c.moves, c.calls, c.fresh} {
		if _, err := sending.GetClient().Get(other.URL); err == nil {
			t.Error("sent to another host")
		}
	}
}

// Moves, calls and streams go over HTTP/1.1, whatever the server offers.
func TestClient_TLS(t *testing.T) {
	for _, offered := range [][]string{{"h2", "http/1.1"}, {"http/1.1"}, {"h2"}} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ProtoMajor != 1 {
				t.Errorf("%s over %s", r.URL.Path, r.Proto)
			}
			respond(http.StatusOK, ok)(w, r)
		}))
		server.Config.ErrorLog = log.New(io.Discard, "", 0) // reports the rejected handshake
		server.EnableHTTP2 = slices.Contains(offered, "h2")
		server.TLS = &tls.Config{NextProtos: offered} //nolint:gosec // the client sets the version
		server.StartTLS()
		t.Cleanup(server.Close)

		trusting := clientOf(t, server.URL, func(o *Options) {
			o.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		})
		for range 2 {
			checkError(t, "move", trusting.Move(t.Context(), e4), "")
			checkError(t, "call", second(trusting.Account(t.Context())), "")
			checkError(t, "stream", second(trusting.StreamEvents(t.Context())), "")
		}

		_, err := clientOf(t, server.URL, noRetry).Account(t.Context())
		if checkError(t, "an unknown authority", err, "ca-certificates"); !IsTemporary(err) {
			t.Errorf("error %v is not temporary", err)
		}
	}
}
