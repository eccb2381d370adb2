package lichesstest

import (
	"context"
	"net/http"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// subscriber is the server's end of an open stream, under the server's lock.
type subscriber struct {
	lines      chan []byte     // to be written; closed at the end of the stream
	cut        context.Context // done when the stream is closed before its end
	cancel     context.CancelFunc
	ended      bool          // lines is closed
	game       *game         // nil for streams other than those of games
	side       int           // of the reader in the game
	onEnd      func()        // called when the stream has ended
	delay      time.Duration // of the first byte
	delayFirst bool          // the first line comes after the next line, or maxFirstDelay later
	delayed    []byte        // the first line, while it is late
	dropMove   *Fault        // which drops the line of the next move; nil for none
	mute       *injected     // whose text is sent in place of lines and keep-alives; nil for none
}

// maxFirstDelay is the longest delay of a first line.
const maxFirstDelay = 500 * time.Millisecond

// streamBuffer is how many lines are queued for a slow reader before the oldest is
// dropped.
const streamBuffer = 32

func newSubscriber() *subscriber {
	s := &subscriber{lines: make(chan []byte, streamBuffer), onEnd: func() {}}
	s.cut, s.cancel = context.WithCancel(context.Background())
	return s
}

// send queues a line. It never blocks. A nil subscriber is not a stream.
func (s *subscriber) send(v any) {
	if s != nil && !s.ended {
		s.queue(encodeLine(v))
		s.flushDelayed()
	}
}

func (s *subscriber) queue(line []byte) {
	for {
		select {
		case s.lines <- line:
			return
		default:
		}
		select {
		case <-s.lines:
		default: // it was just written
		}
	}
}

// sendFirst queues the first line of a game's stream.
func (s *subscriber) sendFirst(v any) {
	if !s.delayFirst || s.ended {
		s.send(v)
		return
	}
	s.delayed = encodeLine(v)
	time.AfterFunc(maxFirstDelay, s.game.server.locked(s.flushDelayed))
}

// flushDelayed queues a delayed first line.
func (s *subscriber) flushDelayed() {
	if s.delayed != nil {
		s.queue(s.delayed)
		s.delayed = nil
	}
}

// sendMove queues the line of a move, or drops it.
func (s *subscriber) sendMove(v any) {
	if s.dropMove == nil {
		s.send(v)
		return
	}
	s.refund(s.dropMove.Cost)
	s.dropMove = nil
}

// end ends the stream after the queued lines.
func (s *subscriber) end() {
	if s != nil && !s.ended {
		s.flushDelayed()
		s.ended = true
		close(s.lines)
	}
}

// close ends the stream at once.
func (s *subscriber) close() {
	if s != nil {
		s.cancel()
	}
}

// timeLeft returns the time on the clock of a game's reader, never for other streams.
func (s *subscriber) timeLeft() (left time.Duration) {
	if s.game == nil {
		return never
	}
	s.game.server.do(func() { left = s.game.clock.timeLeft(s.side, time.Now()) })
	return left
}

// refund gives the players of a game what a fault takes of its reader's last seconds. The
// caller holds the lock.
func (s *subscriber) refund(cost time.Duration) {
	if s.game != nil {
		s.game.refund(cost)
	}
}

// serveStream writes the stream until it ends or the reader disconnects.
func (s *Server) serveStream(w http.ResponseWriter, r *http.Request, class string, sub *subscriber) {
	defer s.locked(sub.onEnd)()
	if sub.delay > 0 {
		_ = lichess.Sleep(r.Context(), sub.delay)
	}
	w.Header().Set("Content-Type", linesType)
	w.WriteHeader(http.StatusOK)
	out := &faultyStream{w: w, server: s, class: class, sub: sub}
	if !out.write(nil) {
		return
	}
	interval, beat := s.opts.KeepAlive, "\n"
	if f := sub.mute; f != nil {
		interval, beat = min(interval, time.Second), f.Text
	}
	keepAlive := time.NewTicker(interval)
	defer keepAlive.Stop()
	for {
		select {
		case line, open := <-sub.lines:
			if !open {
				return
			}
			if sub.mute != nil {
				continue
			}
			s.record(r, http.StatusOK, linesType, line)
			if !out.writeLine(line) {
				return
			}
		case <-keepAlive.C:
			if !out.write([]byte(beat)) {
				return
			}
		case <-sub.cut.Done():
			return
		case <-r.Context().Done():
			return
		}
	}
}
