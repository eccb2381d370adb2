package lichesstest

import (
	"bytes"
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
	w           http.ResponseWriter
	flush       *http.ResponseController
	faults      *Faults
	sub         *subscriber
	silent      bool // stalled: nothing is sent anymore
	droppedLine bool // while silent
}

// lineFaults are the faults of one line.
type lineFaults struct {
	StreamFaults
	cut, stall bool
}

// lineFaults draws the faults of the next line of a stream, given the time left on
// its reader's clock.
func (f *Faults) lineFaults(left time.Duration) lineFaults {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := lineFaults{StreamFaults: f.streams}
	p.OneByte = p.OneByte || f.chance(f.rates.OneByte)
	p.Duplicate = p.Duplicate || f.chance(f.rates.Duplicate)
	p.Noise = p.Noise || f.chance(f.rates.Noise)
	if left >= f.minClock {
		p.cut = f.happens(&f.cut, f.rates.Cut)
		p.stall = !p.cut && f.happens(&f.stall, 0)
	}
	return p
}

// noiseLines are lines that a client must tolerate: an unknown type, a malformed
// line.
var noiseLines = []byte(`{"type":"weather","wind":{"beaufort":7}}` + "\n" + `{"type":` + "\n")

// writeLine writes a line and reports whether the stream is still open.
func (s *faultyStream) writeLine(line []byte) bool {
	p := s.faults.lineFaults(s.sub.timeLeft())
	if p.cut {
		s.sub.reportLost("cut", cutAllowance)
		s.write(line[:len(line)/2])
		closeConn(s.w)
		return false
	}
	if p.Noise {
		line = bytes.Replace(line, []byte("{"), []byte(`{"tomorrow":[1,{"field":null}],`), 1)
		line = append(line, noiseLines...)
	}
	if s.silent && !s.droppedLine {
		s.droppedLine = true
		s.sub.reportLost("stall", stallAllowance)
	}
	times := 1
	if p.Duplicate {
		times = 2
	}
	for range times {
		if !s.send(line, p.OneByte) {
			return false
		}
	}
	s.silent = s.silent || p.stall
	return true
}

func (s *faultyStream) send(line []byte, oneByte bool) bool {
	size := len(line)
	if oneByte {
		size = 1
	}
	for packet := range slices.Chunk(line, size) {
		if !s.write(packet) {
			return false
		}
	}
	return true
}

// write sends and flushes bytes; a silent stream discards them.
func (s *faultyStream) write(b []byte) bool {
	if s.silent {
		return true
	}
	if _, err := s.w.Write(b); err != nil {
		return false
	}
	return s.flush.Flush() == nil
}

// listener accepts connections and black-holes some of them.
type listener struct {
	net.Listener
	server *Server
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		switch {
		case err != nil:
			return nil, err
		case l.blackHole(conn):
		case l.server.opts.WrapConn != nil:
			return l.server.opts.WrapConn(conn), nil
		default:
			return conn, nil
		}
	}
}

// blackHole drains a connection instead of serving it, if that fault is due.
func (l *listener) blackHole(conn net.Conn) bool {
	discarded, f := false, l.server.Faults
	f.update(func() {
		if discarded = f.happens(&f.blackHoles, 0); discarded {
			f.outages.add("hole", time.Now(), blackHoleAllowance)
		}
	})
	if discarded {
		l.server.drain(conn)
	}
	return discarded
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
