package lichesstest

import "time"

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
