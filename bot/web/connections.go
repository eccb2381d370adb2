package web

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// connections bounds the open connections. One too many closes the one that has
// waited longest without a request, so that idle clients, however many, keep
// nobody out.
type connections struct {
	most int

	mu     sync.Mutex
	open   map[net.Conn]*connection
	events uint64 // counts what happens, as the time
}

// connection is what is known of an open connection.
type connection struct {
	busy  bool   // a request is being answered
	since uint64 // when it began to wait
}

func newConnections(most int) *connections {
	return &connections{most: most, open: map[net.Conn]*connection{}}
}

// track is the server's ConnState hook.
func (c *connections) track(conn net.Conn, s http.ConnState) {
	switch s {
	case http.StateNew:
		if surplus := c.add(conn); surplus != nil {
			_ = surplus.Close() // its client is not in the middle of anything
		}
	case http.StateClosed, http.StateHijacked:
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.open, conn)
	}
}

// add notes a new connection and returns the one to close for it, nil while
// there is room. It is the new one itself if all others are busy.
func (c *connections) add(conn net.Conn) (surplus net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events++
	c.open[conn] = &connection{since: c.events}
	if len(c.open) <= c.most {
		return nil
	}
	for other, state := range c.open {
		if !state.busy && (surplus == nil || state.since < c.open[surplus].since) {
			surplus = other
		}
	}
	delete(c.open, surplus)
	return surplus
}

func (c *connections) setBusy(conn net.Conn, busy bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state := c.open[conn]; state != nil {
		c.events++
		state.busy, state.since = busy, c.events
	}
}

type connKey struct{}

// remember is the server's ConnContext hook: it tells the handlers what
// connection they answer on.
func (c *connections) remember(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// wrap notes which connections are busy.
func (c *connections) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, ok := r.Context().Value(connKey{}).(net.Conn); ok {
			c.setBusy(conn, true)
			defer c.setBusy(conn, false)
		}
		next.ServeHTTP(w, r)
	})
}
