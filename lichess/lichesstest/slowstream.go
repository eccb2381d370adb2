package lichesstest

import (
	"context"
	"time"
)

// slowness delays the first byte of game streams until a time.
type slowness struct {
	until time.Time
	by    time.Duration
}

// SlowStreams delays the first byte of each game stream that is opened within a time
// span.
func (f *Faults) SlowStreams(span, by time.Duration) {
	f.update(func() { f.slow = slowness{time.Now().Add(span), by} })
}

// slowBy returns the current delay of a stream's first byte.
func (f *Faults) slowBy() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Now().Before(f.slow.until) {
		return f.slow.by
	}
	return 0
}

// delay applies SlowStreams to a stream and reports whether its reader is still
// connected.
func (s *Server) delay(ctx context.Context, sub *subscriber) bool {
	by := s.Faults.slowBy()
	if by == 0 {
		return true
	}
	sub.onLost("slow", by)
	timer := time.NewTimer(by)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-s.ctx.Done():
	}
	return false
}
