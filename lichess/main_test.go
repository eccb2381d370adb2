package lichess

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

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
func clientOf(t *testing.T, url string, change ...func(*Options)) *Client {
	t.Helper()
	o := testOptions(t, url, change...)
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func testOptions(t *testing.T, url string, change ...func(*Options)) Options {
	t.Helper()
	token, err := NewToken(secret)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{URL: url, Token: token, Version: "1.2.3"}
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

// bubbleClient returns a client whose server runs in the same synctest bubble.
// The returned function shuts both down before the bubble ends.
func bubbleClient(t *testing.T, h http.Handler, change ...func(*Options)) (*Client, func()) {
	t.Helper()
	network := &memoryNet{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0), ConnContext: network.connContext}
	go func() { _ = server.Serve(network) }()
	c, err := newClient(testOptions(t, "http://127.0.0.1:1", change...), network.dial)
	if err != nil {
		t.Fatal(err)
	}
	return c, func() {
		c.Close()
		_ = server.Close()
	}
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
