package lichesstest

import (
	"net/http"
	"sync"
	"time"
)

// subscriber is the server's end of an open stream.
type subscriber struct {
	mu     sync.Mutex
	lines  [][]byte
	wake   chan struct{} // holds one
	ended  bool          // nothing comes after the lines
	closed bool          // cut at once

	mute bool // what is sent is lost; keep-alives go on

	// What follows is nil for streams that no clock depends on.
	left func() time.Duration                   // on the reader's clock
	lost func(kind string, grant time.Duration) // told of lines that are lost

	missMove  bool   // the line of the next move is not sent
	lateFirst bool   // the first line comes after the next line, or lateBy later
	late      []byte // the first line, while it is late
}

// lateBy is the longest that a late first line is held back.
const lateBy = 500 * time.Millisecond

// streamBuffer is how many lines wait for a slow reader before the oldest is
// dropped.
const streamBuffer = 32

func newSubscriber() *subscriber { return &subscriber{wake: make(chan struct{}, 1)} }

// send queues a line. It never waits. A nil subscriber takes everything.
func (s *subscriber) send(v any) {
	if s == nil {
		return
	}
	s.change(func() {
		if s.mute {
			return
		}
		if len(s.lines) == streamBuffer {
			s.lines = s.lines[1:]
		}
		s.lines = append(s.lines, encode(v))
		s.flushLate()
	})
}

// sendFirst queues the first line of a game's stream.
func (s *subscriber) sendFirst(v any) {
	s.mu.Lock()
	late := s.lateFirst
	if late {
		s.late = encode(v)
	}
	s.mu.Unlock()
	if !late {
		s.send(v)
		return
	}
	time.AfterFunc(lateBy, func() { s.change(s.flushLate) })
}

// flushLate queues a first line that was held back. The caller holds the lock.
func (s *subscriber) flushLate() {
	if s.late != nil {
		s.lines, s.late = append(s.lines, s.late), nil
	}
}

// sendMove queues the line of a move, unless the stream misses it, which it
// reports.
func (s *subscriber) sendMove(v any) (missed bool) {
	s.mu.Lock()
	missed, s.missMove = s.missMove, false
	s.mu.Unlock()
	if !missed {
		s.send(v)
	}
	return missed
}

// end lets the reader have the queued lines, then the end of the stream.
func (s *subscriber) end() {
	if s != nil {
		s.change(func() {
			s.flushLate()
			s.ended = true
		})
	}
}

// close cuts the stream.
func (s *subscriber) close() {
	if s != nil {
		s.change(func() { s.closed = true })
	}
}

func (s *subscriber) change(do func()) {
	s.mu.Lock()
	do()
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// take returns the queued lines and whether the stream goes on after them.
func (s *subscriber) take() (lines [][]byte, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, false
	}
	lines, s.lines = s.lines, nil
	return lines, !s.ended
}

// serve writes the stream until it ends or the reader goes away.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, sub *subscriber) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.WriteHeader(http.StatusOK)
	out := s.Faults.stream(w, sub)
	keepAlive := time.NewTicker(s.opts.KeepAlive)
	defer keepAlive.Stop()
	if out.flush.Flush() != nil {
		return
	}
	for {
		lines, on := sub.take()
		for _, line := range lines {
			if !out.line(line) {
				return
			}
		}
		if !on {
			return
		}
		select {
		case <-sub.wake:
		case <-keepAlive.C:
			if !out.write([]byte("\n")) {
				return
			}
		case <-r.Context().Done():
			return
		case <-s.ctx.Done():
			return
		}
	}
}
