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

// counter answers by the number of the request, and with the last answer from
// then on.
type counter struct {
	mu      sync.Mutex
	asked   int
	answers []http.HandlerFunc
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	answer := c.answers[min(c.asked, len(c.answers)-1)]
	c.asked++
	c.mu.Unlock()
	answer(w, r)
}

func (c *counter) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}

// hangUp closes the connection without an answer.
func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

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
		{"reading after a cut", account, []http.HandlerFunc{hangUp, respond(200, "{}")}, 2, nil},
		{"reading after 4xx", account, []http.HandlerFunc{respond(404, `{"error":"Not found"}`)}, 1, ErrNotFound},
		{"reading after a proxy's 4xx", account, []http.HandlerFunc{respond(403, "<html>"), respond(404, ""), respond(200, "{}")}, 3, nil},
		{"a command after a cut", accept, []http.HandlerFunc{hangUp}, 1, io.EOF},
		{"a command after 5xx", accept, []http.HandlerFunc{respond(502, "")}, 1, ErrUnavailable},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &counter{answers: tc.answers}
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

// TestClient_RetriesWhatWasNeverSent shows that a command is sent again when the
// connection itself failed.
func TestClient_RetriesWhatWasNeverSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &counter{answers: []http.HandlerFunc{respond(200, ok)}}
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
		server := &counter{answers: []http.HandlerFunc{respond(503, "")}}
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
