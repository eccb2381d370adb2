package lichesstest

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"time"
)

// faultyStream writes the lines of one stream with faults applied. The goroutine of the
// request alone uses it.
type faultyStream struct {
	w      http.ResponseWriter
	server *Server
	class  string
	sub    *subscriber
	silent bool // nothing is sent any more
}

// line is a line of a stream that is about to be sent.
type line struct {
	text   []byte
	packet int  // bytes in each
	cut    bool // the connection ends after the text
	last   bool // the stream falls silent after it
}

// writeLine writes a line and reports whether the stream is still open.
func (s *faultyStream) writeLine(text []byte) bool {
	l, cost := line{text: slices.Clip(text), packet: len(text) + 1}, time.Duration(0)
	for f := range s.server.Faults.happening(s.class, s.sub.timeLeft(), func(f *Fault) bool { return f.line != nil }) {
		cost += f.Cost
		if f.line(&l); l.cut {
			break
		}
	}
	if cost > 0 { // not above: whoever has the server's lock may wait for that of the faults
		s.server.do(func() { s.sub.refund(cost) })
	}
	for packet := range slices.Chunk(l.text, l.packet) {
		if !s.write(packet) {
			return false
		}
	}
	if s.silent = s.silent || l.last; l.cut {
		closeConn(s.w)
	}
	return !l.cut
}

// write sends and flushes bytes; a silent stream discards them.
func (s *faultyStream) write(b []byte) bool {
	if s.silent {
		return true
	}
	if _, err := s.w.Write(b); err != nil {
		return false
	}
	return http.NewResponseController(s.w).Flush() == nil
}

// closeConn closes the connection of a request.
func closeConn(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}

// listener accepts connections, some of which are never answered.
type listener struct {
	net.Listener
	server *Server
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if hole := l.server.Faults.check("hole"); hole != nil {
			l.server.do(func() {
				for _, g := range l.server.games {
					g.refund(hole.Cost)
				}
			})
			l.server.drain(conn)
			continue
		}
		if wrap := l.server.opts.WrapConn; wrap != nil {
			conn = wrap(conn)
		}
		return conn, nil
	}
}

// drain reads a connection without responding until its client or the server closes.
func (s *Server) drain(conn net.Conn) {
	closeConn := func() { _ = conn.Close() }
	stop := context.AfterFunc(s.ctx, closeConn)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spawn(func() {
		defer closeConn()
		defer stop()
		_, _ = io.Copy(io.Discard, conn)
	})
}
