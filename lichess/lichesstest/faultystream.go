package lichesstest

import (
	"bytes"
	"net"
	"net/http"
	"sync"
)

// faultyStream writes the lines of one stream, as well as the faults let it.
type faultyStream struct {
	w      http.ResponseWriter
	flush  *http.ResponseController
	faults *Faults
	silent bool
}

func (f *Faults) stream(w http.ResponseWriter) *faultyStream {
	return &faultyStream{w: w, flush: http.NewResponseController(w), faults: f}
}

// plan is what happens to a line.
type plan struct {
	StreamFaults
	cut, stall bool
}

func (f *Faults) plan() plan {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := plan{StreamFaults: f.streams, cut: f.chance(f.rates.Cut), stall: f.chance(f.rates.Stall)}
	p.Duplicate = p.Duplicate || f.chance(f.rates.Duplicate)
	p.Odd = p.Odd || f.chance(f.rates.Odd)
	if f.cut > 0 {
		f.cut--
		p.cut = true
	} else if f.stall > 0 {
		f.stall--
		p.stall = true
	}
	return p
}

// oddLines are what a client must bear: an unknown type, a malformed line.
var oddLines = []byte(`{"type":"weather","wind":{"beaufort":7}}` + "\n" + `{"type":` + "\n")

// line writes a line; false means that the stream is over.
func (s *faultyStream) line(line []byte) bool {
	p := s.faults.plan()
	if p.cut {
		s.write(line[:len(line)/2])
		hangUp(s.w)
		return false
	}
	if p.Odd {
		line = bytes.Replace(line, []byte("{"), []byte(`{"tomorrow":[1,{"field":null}],`), 1)
		line = append(line, oddLines...)
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
	if !oneByte {
		return s.write(line)
	}
	for i := range line {
		if !s.write(line[i : i+1]) {
			return false
		}
	}
	return true
}

// write sends bytes at once; a silent stream swallows them.
func (s *faultyStream) write(b []byte) bool {
	if s.silent {
		return true
	}
	if _, err := s.w.Write(b); err != nil {
		return false
	}
	return s.flush.Flush() == nil
}

// listener takes connections, some of them for the black hole.
type listener struct {
	net.Listener
	faults *Faults
	mu     sync.Mutex
	held   []net.Conn
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil || !l.swallow(conn) {
			return conn, err
		}
	}
}

// swallow keeps a connection that will never be answered.
func (l *listener) swallow(conn net.Conn) bool {
	swallowed := false
	l.faults.set(func() {
		if swallowed = l.faults.hole > 0; swallowed {
			l.faults.hole--
		}
	})
	if swallowed {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.held = append(l.held, conn)
	}
	return swallowed
}

// release closes the connections in the black hole.
func (l *listener) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.held {
		_ = conn.Close()
	}
}
