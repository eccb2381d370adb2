package gamestream

import "time"

// downtime measures how long a game is without a stream. The server counts a player
// without one as absent, and lets the opponent claim the win.
type downtime struct {
	open  int       // connections
	since time.Time // when there was none any more; zero while there is one, or none is wanted
}

// start records that a stream is wanted.
func (s *downtime) start(now time.Time) {
	if s.open == 0 && s.since.IsZero() {
		s.since = now
	}
}

// stop records that no stream is wanted for now.
func (s *downtime) stop() { s.since = time.Time{} }

// connected records an opened connection, and returns how long there was none.
func (s *downtime) connected(now time.Time) (absent time.Duration) {
	s.open++
	if !s.since.IsZero() {
		absent = now.Sub(s.since)
	}
	s.since = time.Time{}
	return absent
}

// disconnected records the end of an open connection.
func (s *downtime) disconnected(now time.Time) {
	if s.open--; s.open == 0 {
		s.since = now
	}
}
