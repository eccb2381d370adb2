package lichesstest

import "time"

// offlineTimer measures how long a player's program had no stream of the game open.
type offlineTimer struct {
	since time.Time // zero while a stream is open
	sum   time.Duration
}

// start starts the timer: no stream is open.
func (s *offlineTimer) start(now time.Time) {
	if s.since.IsZero() {
		s.since = now
	}
}

// stop stops the timer: a stream is open.
func (s *offlineTimer) stop(now time.Time) {
	s.sum, s.since = s.total(now), time.Time{}
}

// total returns the measured time up to now.
func (s *offlineTimer) total(now time.Time) time.Duration {
	if s.since.IsZero() {
		return s.sum
	}
	return s.sum + max(0, now.Sub(s.since))
}
