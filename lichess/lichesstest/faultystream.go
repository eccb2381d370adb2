package lichesstest

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// faultyStream writes the lines of one stream with faults applied.
type faultyStream struct {
	w           http.ResponseWriter
	flush       *http.ResponseController
	faults      *Faults
	silent      bool
	droppedLine bool // a line
	sub         *subscriber
}

func (f *Faults) stream(w http.ResponseWriter, sub *subscriber) *faultyStream {
	return &faultyStream{w: w, flush: http.NewResponseController(w), faults: f, sub: sub}
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
	p := lineFaults{StreamFaults: f.streams, cut: f.chance(f.rates.Cut), stall: f.chance(f.rates.Stall)}
	p.OneByte = p.OneByte || f.chance(f.rates.OneByte)
	p.Duplicate = p.Duplicate || f.chance(f.rates.Duplicate)
	p.Noise = p.Noise || f.chance(f.rates.Noise)
	if left < f.minClock {
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

// noiseLines are lines that a client must tolerate: an unknown type, a malformed
// line.
var noiseLines = []byte(`{"type":"weather","wind":{"beaufort":7}}` + "\n" + `{"type":` + "\n")

// writeLine writes a line and reports whether the stream is still open.
func (s *faultyStream) writeLine(line []byte) bool {
	p := s.faults.lineFaults(s.timeLeft())
	if p.cut {
		s.reportLost("cut", cutAllowance)
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
		s.reportLost("stall", stallAllowance)
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

// timeLeft returns the time on the reader's clock, never if there is none.
func (s *faultyStream) timeLeft() time.Duration {
	if s.sub.timeLeft == nil {
		return never
	}
	return s.sub.timeLeft()
}

func (s *faultyStream) reportLost(kind string, grant time.Duration) {
	if s.sub.onLost != nil {
		s.sub.onLost(kind, grant)
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
	faults  *Faults
	tap     func(net.Conn) net.Conn
	mu      sync.Mutex
	drained map[net.Conn]bool
	drains  sync.WaitGroup // the draining goroutines
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		switch {
		case err != nil:
			return nil, err
		case l.blackHole(conn):
		case l.tap != nil:
			return l.tap(conn), nil
		default:
			return conn, nil
		}
	}
}

// blackHole drains a connection instead of serving it, if that fault is due.
func (l *listener) blackHole(conn net.Conn) bool {
	swallowed := false
	l.faults.update(func() {
		if swallowed = l.faults.blackHoles > 0; swallowed {
			l.faults.blackHoles--
			l.faults.outages.add("hole", time.Now(), blackHoleAllowance)
		}
	})
	if swallowed {
		l.drain(conn)
	}
	return swallowed
}

// drain reads a connection without responding until its client closes it.
func (l *listener) drain(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drained[conn] = true
	l.drains.Go(func() {
		_, _ = io.Copy(io.Discard, conn)
		_ = conn.Close()
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.drained, conn)
	})
}

// closeDrained closes the black-holed connections after the listener has closed.
func (l *listener) closeDrained() {
	l.mu.Lock()
	for conn := range l.drained {
		_ = conn.Close()
	}
	l.mu.Unlock()
	l.drains.Wait()
}
