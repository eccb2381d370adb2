package lichesstest

import (
	"net/http"
	"sync"
	"time"
)

// subscriber is the server's end of an open stream.
type subscriber struct {
	wake       chan struct{} // holds one
	game       *game         // nil for streams other than those of games
	side       int           // of the reader in the game
	onEnd      func()        // called under the server's lock when the stream has ended
	delayFirst bool          // the first line comes after the next line, or maxFirstDelay later

	delay time.Duration // of the first byte

	mu       sync.Mutex // guards the fields below
	lines    [][]byte
	ended    bool   // the stream ends after the lines
	closed   bool   // closed at once
	dropMove *Fault // which drops the line of the next move; nil for none
	delayed  []byte // the first line, while it is late
}

// maxFirstDelay is the longest delay of a first line.
const maxFirstDelay = 500 * time.Millisecond

// streamBuffer is how many lines are queued for a slow reader before the oldest is
// dropped.
const streamBuffer = 32

func newSubscriber() *subscriber { return &subscriber{wake: make(chan struct{}, 1), onEnd: func() {}} }

// send queues a line. It never blocks.
func (s *subscriber) send(v any) {
	s.update(func() {
		if len(s.lines) == streamBuffer {
			s.lines = s.lines[1:]
		}
		s.lines = append(s.lines, encodeLine(v))
		s.flushDelayed()
	})
}

// sendFirst queues the first line of a game's stream.
func (s *subscriber) sendFirst(v any) {
	if !s.delayFirst {
		s.send(v)
		return
	}
	s.update(func() { s.delayed = encodeLine(v) })
	time.AfterFunc(maxFirstDelay, func() { s.update(s.flushDelayed) })
}

// flushDelayed queues a delayed first line. The caller holds the lock.
func (s *subscriber) flushDelayed() {
	if s.delayed != nil {
		s.lines, s.delayed = append(s.lines, s.delayed), nil
	}
}

// sendMove queues the line of a move, or drops it and returns the fault that does so.
func (s *subscriber) sendMove(v any) (dropped *Fault) {
	s.update(func() { dropped, s.dropMove = s.dropMove, nil })
	if dropped == nil {
		s.send(v)
	}
	return dropped
}

// end ends the stream after the queued lines.
func (s *subscriber) end() {
	s.update(func() {
		s.flushDelayed()
		s.ended = true
	})
}

// close closes the stream at once.
func (s *subscriber) close() { s.update(func() { s.closed = true }) }

// update changes the stream and wakes its writer. A nil subscriber is not a stream.
func (s *subscriber) update(do func()) {
	if s == nil {
		return
	}
	s.mu.Lock()
	do()
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// drain returns the queued lines and whether the stream stays open after them.
func (s *subscriber) drain() (lines [][]byte, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, false
	}
	lines, s.lines = s.lines, nil
	return lines, !s.ended
}

// timeLeft returns the time on the clock of a game's reader, never for other streams.
func (s *subscriber) timeLeft() (left time.Duration) {
	if s.game == nil {
		return never
	}
	s.game.server.do(func() { left = s.game.clock.timeLeft(s.side, time.Now()) })
	return left
}

// reportLost records that the reader of a game gets no lines for a time.
func (s *subscriber) reportLost(kind string, d time.Duration) {
	if s.game != nil {
		s.game.server.do(func() { s.game.outages[s.side].add(kind, time.Now(), d) })
	}
}

// serveStream writes the stream until it ends or the reader disconnects.
func (s *Server) serveStream(w http.ResponseWriter, r *http.Request, class string, sub *subscriber) {
	defer s.locked(sub.onEnd)()
	if sub.delay > 0 {
		sub.reportLost("slow", sub.delay)
		wait(r.Context(), sub.delay)
	}
	out := s.startStream(w, class, "application/x-ndjson", sub)
	if out == nil {
		return
	}
	keepAlive := time.NewTicker(s.opts.KeepAlive)
	defer keepAlive.Stop()
	for {
		lines, open := sub.drain()
		for _, line := range lines {
			if !out.writeLine(line) {
				return
			}
		}
		if !open {
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
		}
	}
}
