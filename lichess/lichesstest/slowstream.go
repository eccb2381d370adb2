package lichesstest

import (
	"context"
	"time"
)

// slowness is how long the first byte of a game's stream takes.
type slowness struct {
	until time.Time
	by    time.Duration
}

// SlowStreams lets the first byte of each game's stream that is opened within a
// span of time take so long.
func (f *Faults) SlowStreams(span, by time.Duration) {
	f.set(func() { f.slow = slowness{time.Now().Add(span), by} })
}

// slowBy returns how long the first byte of a stream is to take.
func (f *Faults) slowBy() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Now().Before(f.slow.until) {
		return f.slow.by
	}
	return 0
}

// delay holds a stream back that is slow to begin, and reports whether its reader
// is still there.
func (s *Server) delay(ctx context.Context, sub *subscriber) bool {
	by := s.Faults.slowBy()
	if by == 0 {
		return true
	}
	sub.lost("slow", by)
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
