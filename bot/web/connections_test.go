package web

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// serveTest serves a page until the test ends and returns its address.
func serveTest(t *testing.T, p *Page) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// Health checks and viewers work however many other connections are open: silent,
// halfway through a request or idle after one.
func TestPage_HealthAmongIdleClients(t *testing.T) {
	address := serveTest(t, newTestPage(t, Options{}))
	viewer := openStream(t, "http://"+address)
	viewer.next()
	for i := range 500 {
		conn := dial(t, address)
		switch i % 3 {
		case 1:
			_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: ")
		case 2:
			_, _ = io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: "+address+"\r\n\r\n")
		}
	}
	start := time.Now()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: headerTimeout - time.Second}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatalf("health after %s: %v", time.Since(start), err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("status %d", answer.StatusCode)
	}
	viewer.next() // fails the test if the stream has ended
}

// The connection that has been idle longest is closed first, a busy one never.
func TestConnections_ClosesLongestIdle(t *testing.T) {
	var conns []net.Conn
	for range 5 {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		conns = append(conns, ours)
	}
	c := newConnections(2)
	closed := func(conn net.Conn) bool {
		_ = conn.SetDeadline(time.Now().Add(-time.Second))
		_, err := conn.Write(nil)
		return err == io.ErrClosedPipe
	}
	c.track(conns[0], http.StateNew)
	c.setBusy(conns[0], true)
	c.track(conns[1], http.StateNew)
	c.track(conns[2], http.StateNew)
	if closed(conns[0]) || !closed(conns[1]) || closed(conns[2]) {
		t.Error("want only the idle connection closed")
	}
	c.setBusy(conns[0], false) // now it has been idle for less time than conns[2]
	c.track(conns[3], http.StateNew)
	if closed(conns[0]) || !closed(conns[2]) || closed(conns[3]) {
		t.Error("want only the longest idle connection closed")
	}
	c.setBusy(conns[0], true)
	c.setBusy(conns[3], true)
	c.track(conns[4], http.StateNew)
	if closed(conns[0]) || closed(conns[3]) || !closed(conns[4]) {
		t.Error("want only the new connection closed while all others are busy")
	}
	c.track(conns[0], http.StateClosed)
	c.track(conns[3], http.StateClosed)
	if len(c.open) != 0 {
		t.Errorf("%d connections are left", len(c.open))
	}
}
