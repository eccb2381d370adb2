package access

import (
	"io"
	"net"
	"net/http"
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
