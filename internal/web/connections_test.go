package web

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
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
	g, err := NewGuard(GuardOptions{Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	file := bytes.Repeat([]byte("x"), 64<<10) // the server does not buffer as much
	s := httptest.NewUnstartedServer(g.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(file) })))
	methods := []string{http.MethodGet, http.MethodHead}
	bodies := []string{"Content-Length: 10", "Transfer-Encoding: chunked"}
	LimitConnections(s.Config, len(methods)*len(bodies))
	s.Start()
	defer s.Close()
	for _, method := range methods {
		for _, body := range bodies {
			conn, err := net.Dial("tcp", s.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
			if _, err := io.WriteString(conn, method+" / HTTP/1.1\r\nHost: localhost\r\n"+body+"\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			answer, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
			if err != nil {
				t.Fatalf("%s with %s: %v", method, body, err)
			}
			if answer.StatusCode != http.StatusBadRequest || !answer.Close {
				t.Errorf("%s with %s: status %d, closed %t", method, body, answer.StatusCode, answer.Close)
			}
		}
	}
	answer, err := s.Client().Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if got, err := io.ReadAll(answer.Body); err != nil || !bytes.Equal(got, file) {
		t.Errorf("%d bytes of the file, error %v", len(got), err)
	}
}
