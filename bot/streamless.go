package bot

import "time"

// streamless measures how long a game is without a stream. The server counts a
// player without one as absent, and lets the opponent claim the win.
type streamless struct {
	open  int       // connections
	since time.Time // when there was none any more; zero while there is one, or none is wanted
}

// wanted notes that there is to be a stream.
func (s *streamless) wanted(now time.Time) {
	if s.open == 0 && s.since.IsZero() {
		s.since = now
	}
}

// unwanted notes that there is to be no stream for now.
func (s *streamless) unwanted() { s.since = time.Time{} }

// opened notes that a connection is open, and returns how long there was none.
func (s *streamless) opened(now time.Time) (absent time.Duration) {
	s.open++
	if !s.since.IsZero() {
		absent = now.Sub(s.since)
	}
	s.since = time.Time{}
	return absent
}

// ended notes that an open connection has ended.
func (s *streamless) ended(now time.Time) {
	if s.open--; s.open == 0 {
		s.since = now
	}
}
