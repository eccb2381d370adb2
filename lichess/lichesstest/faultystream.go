package lichesstest

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// faultyStream writes the lines of one stream, as well as the faults let it.
type faultyStream struct {
	w      http.ResponseWriter
	flush  *http.ResponseController
	faults *Faults
	silent bool
	missed bool // a line
	sub    *subscriber
}

func (f *Faults) stream(w http.ResponseWriter, sub *subscriber) *faultyStream {
	return &faultyStream{w: w, flush: http.NewResponseController(w), faults: f, sub: sub}
}

// plan is what happens to a line.
type plan struct {
	StreamFaults
	cut, stall bool
}

// plan decides what happens to the next line of a stream whose reader has so
// much time left.
func (f *Faults) plan(left time.Duration) plan {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := plan{StreamFaults: f.streams, cut: f.chance(f.rates.Cut), stall: f.chance(f.rates.Stall)}
	p.OneByte = p.OneByte || f.chance(f.rates.OneByte)
	p.Duplicate = p.Duplicate || f.chance(f.rates.Duplicate)
	p.Noise = p.Noise || f.chance(f.rates.Noise)
	if left < f.spare {
		p.cut, p.stall = false, false
		return p
	}
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
	p := s.faults.plan(s.left())
	if p.cut {
		s.lost("cut", cutGrant)
		s.write(line[:len(line)/2])
		hangUp(s.w)
		return false
	}
	if p.Noise {
		line = bytes.Replace(line, []byte("{"), []byte(`{"tomorrow":[1,{"field":null}],`), 1)
		line = append(line, oddLines...)
	}
	if s.silent && !s.missed {
		s.missed = true
		s.lost("stall", stallGrant)
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

// left returns the time on the reader's clock; without one that is forever.
func (s *faultyStream) left() time.Duration {
	if s.sub.left == nil {
		return never
	}
	return s.sub.left()
}

func (s *faultyStream) lost(kind string, grant time.Duration) {
	if s.sub.lost != nil {
		s.sub.lost(kind, grant)
	}
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
	tap    func(net.Conn) net.Conn
	mu     sync.Mutex
	held   map[net.Conn]bool
	sink   sync.WaitGroup // of the goroutines that hold them
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		switch {
		case err != nil:
			return nil, err
		case l.swallow(conn):
		case l.tap != nil:
			return l.tap(conn), nil
		default:
			return conn, nil
		}
	}
}

// swallow keeps a connection that will never be answered.
func (l *listener) swallow(conn net.Conn) bool {
	swallowed := false
	l.faults.set(func() {
		if swallowed = l.faults.hole > 0; swallowed {
			l.faults.hole--
			l.faults.outages.add("hole", time.Now(), holeGrant)
		}
	})
	if swallowed {
		l.hold(conn)
	}
	return swallowed
}

// hold reads a connection and never answers, until its client gives it up.
func (l *listener) hold(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[conn] = true
	l.sink.Go(func() {
		_, _ = io.Copy(io.Discard, conn)
		_ = conn.Close()
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.held, conn)
	})
}

// release closes the connections in the black hole. There must be no new ones.
func (l *listener) release() {
	l.mu.Lock()
	for conn := range l.held {
		_ = conn.Close()
	}
	l.mu.Unlock()
	l.sink.Wait()
}
