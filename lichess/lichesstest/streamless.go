package lichesstest

import "time"

// streamless measures how long a player's program had no stream of the game open.
type streamless struct {
	since time.Time // zero while there is a stream
	sum   time.Duration
}

// begin notes that there is no stream.
func (s *streamless) begin(now time.Time) {
	if s.since.IsZero() {
		s.since = now
	}
}

// end notes that there is one.
func (s *streamless) end(now time.Time) {
	s.sum, s.since = s.total(now), time.Time{}
}

// total returns the time up to a moment.
func (s *streamless) total(now time.Time) time.Duration {
	if s.since.IsZero() {
		return s.sum
	}
	return s.sum + max(0, now.Sub(s.since))
}
