package lichess

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fakeServer sends one response after the other and repeats the last one.
type fakeServer struct {
	mu       sync.Mutex
	requests int
	answers  []http.HandlerFunc
}

func (c *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	answer := c.answers[min(c.requests, len(c.answers)-1)]
	c.requests++
	c.mu.Unlock()
	answer(w, r)
}

func (c *fakeServer) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests
}

// closeConn closes the connection without a response.
func closeConn(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func TestClient_Retries(t *testing.T) {
	account := func(ctx context.Context, c *Client) error { return second(c.Account(ctx)) }
	accept := func(ctx context.Context, c *Client) error { return c.AcceptChallenge(ctx, "a", Human) }
	tests := []struct {
		name    string
		call    func(context.Context, *Client) error
		answers []http.HandlerFunc
		want    int // requests
		failure error
	}{
		{"reading after 5xx", account, []http.HandlerFunc{respond(502, ""), respond(503, ""), respond(200, "{}")}, 3, nil},
		{"reading after a cut", account, []http.HandlerFunc{closeConn, respond(200, "{}")}, 2, nil},
		{"reading after 4xx", account, []http.HandlerFunc{respond(404, `{"error":"Not found"}`)}, 1, ErrNotFound},
		{"reading after a proxy's 4xx", account, []http.HandlerFunc{respond(403, "<html>"), respond(404, ""), respond(200, "{}")}, 3, nil},
		{"a command after a cut", accept, []http.HandlerFunc{closeConn}, 1, io.EOF},
		{"a command after 5xx", accept, []http.HandlerFunc{respond(502, "")}, 1, ErrUnavailable},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &fakeServer{answers: tc.answers}
				c, down := bubbleClient(t, server)
				defer down()
				if err := tc.call(t.Context(), c); !errors.Is(err, tc.failure) {
					t.Errorf("error %v, want %v", err, tc.failure)
				}
				if n := server.count(); n != tc.want {
					t.Errorf("%d requests, want %d", n, tc.want)
				}
			})
		})
	}
}

// TestClient_RetriesUnsentRequests checks that a command is sent again if the
// connection failed.
func TestClient_RetriesUnsentRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{answers: []http.HandlerFunc{respond(200, ok)}}
		c, down := bubbleClient(t, server)
		defer down()
		transport := c.calls.http.Transport.(*authTransport).Transport
		dial, failures := transport.DialContext, 3
		transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			if failures--; failures >= 0 {
				return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
			}
			return dial(ctx, network, address)
		}
		if err := c.AcceptChallenge(t.Context(), "aaaaaaaa", Human); err != nil || server.count() != 1 {
			t.Errorf("error %v, %d requests", err, server.count())
		}
	})
}

func TestClient_RetriesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{answers: []http.HandlerFunc{respond(503, "")}}
		c, down := bubbleClient(t, server)
		defer down()
		began := time.Now()
		if _, err := c.Account(t.Context()); !errors.Is(err, ErrUnavailable) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(began); took > time.Minute || took < 30*time.Second {
			t.Errorf("gave up after %s", took)
		}

		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		_, err := c.Account(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ErrUnavailable) {
			t.Errorf("after the deadline: %v", err)
		}
	})
}
