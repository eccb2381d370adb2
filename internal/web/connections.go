package web

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// connections limits the number of open connections. Above the limit it closes the one
// that has been idle longest, so that idle clients, however many, do not block others.
type connections struct {
	limit int

	mu       sync.Mutex // for open and sequence
	open     map[net.Conn]*connection
	sequence uint64 // logical clock for idleSince
}

// connection is the state of an open connection.
type connection struct {
	busy      bool   // a request is being served
	idleSince uint64 // when it became idle
}

// limitConnections limits the open connections of a server that is not running yet. It
// sets the server's hooks and wraps its handler.
func limitConnections(s *http.Server, limit int) {
	c := newConnections(limit)
	s.ConnState, s.ConnContext, s.Handler = c.track, c.withConn, c.wrap(s.Handler)
}

func newConnections(limit int) *connections {
	return &connections{limit: limit, open: map[net.Conn]*connection{}}
}

// track is the ConnState hook of the server.
func (c *connections) track(conn net.Conn, s http.ConnState) {
	switch s {
	case http.StateNew:
		if excess := c.add(conn); excess != nil {
			_ = excess.Close() // no request is in progress
		}
	case http.StateClosed, http.StateHijacked:
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.open, conn)
	}
}

// add adds a connection and returns the one to close for it, nil below the limit. It is
// the new one itself if all others are busy.
func (c *connections) add(conn net.Conn) (excess net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sequence++
	c.open[conn] = &connection{idleSince: c.sequence}
	if len(c.open) <= c.limit {
		return nil
	}
	for other, state := range c.open {
		if !state.busy && (excess == nil || state.idleSince < c.open[excess].idleSince) {
			excess = other
		}
	}
	delete(c.open, excess)
	return excess
}

func (c *connections) setBusy(conn net.Conn, busy bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state := c.open[conn]; state != nil {
		c.sequence++
		state.busy, state.idleSince = busy, c.sequence
	}
}

type connKey struct{}

// withConn is the ConnContext hook of the server: it gives handlers access to their
// connection.
func (c *connections) withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// wrap tracks which connections are busy.
func (c *connections) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, ok := r.Context().Value(connKey{}).(net.Conn); ok {
			c.setBusy(conn, true)
			defer c.setBusy(conn, false)
		}
		next.ServeHTTP(w, r)
	})
}
