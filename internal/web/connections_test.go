package web

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

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

// Clients that announce a body for a file and never send it do not block the page,
// however many they are.
func TestConnections_WithheldBodies(t *testing.T) {
	file := strings.Repeat("x", 64<<10) // the server does not buffer as much
	s := httptest.NewUnstartedServer(nil)
	g, err := newGuard(GuardOptions{Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	s.Config.Handler = g.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_,
			_ = io.WriteString(w, file)
	}))
	withheld := []string{
		"GET / HTTP/1.1\r\nContent-Length: 10", "GET / HTTP/1.1\r\nTransfer-Encoding: chunked",
		"HEAD / HTTP/1.1\r\nContent-Length: 10", "HEAD / HTTP/1.1\r\nTransfer-Encoding: chunked",
	}
	limitConnections(s.Config, len(withheld))
	s.Start()
	t.Cleanup(s.Close)
	ask := func(request string, most int64) string {
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		_, _ = io.WriteString(conn, request+"\r\nHost: localhost\r\n\r\n")
		answer, err := io.ReadAll(io.LimitReader(conn, most))
		if err != nil {
			t.Errorf("%s: %v", request, err)
		}
		return string(answer)
	}
	for _, request := range withheld {
		if answer := ask(request, 12); answer != "HTTP/1.1 400" {
			t.Errorf("%s: %s", request, answer)
		}
	}
	if answer := ask("GET / HTTP/1.1\r\nConnection: close", 1<<20); strings.Count(answer, "x") < len(file) {
		t.Errorf("the file: %.200s", answer)
	}
}
