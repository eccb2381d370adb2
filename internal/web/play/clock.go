package play

import (
	"time"

	"github.com/zhbot/zhbot/rules"
)

// pliesWithoutClock is how many moves are made before the clocks run: one by each side.
const pliesWithoutClock = 2

// startClock starts the clock of the side to move, if there is one.
func (s *session) startClock() {
	if s.state.settings.Clock.IsZero() || s.state.game.Ply() < pliesWithoutClock {
		return
	}
	s.state.running = time.Now()
	revision, turn := s.state.revision, s.state.game.Position().Turn()
	s.flag = time.AfterFunc(s.left(turn), func() {
		_ = s.at(revision, func() error { // an error means that the flag has not fallen
			s.end(Ending{rules.WinOf(turn.Other()), byTime})
			return nil
		})
	})
}

// stopClock stops the clock of the side to move, and books the time it took.
func (s *session) stopClock() {
	if s.state.running.IsZero() {
		return
	}
	turn := s.state.game.Position().Turn()
	s.state.clocks[s.state.game.Ply()][turn] = s.left(turn)
	s.state.running = time.Time{}
	s.flag.Stop()
}

// left returns the time left to a side now.
func (s *session) left(c rules.Color) time.Duration {
	left := s.state.clocks[s.state.game.Ply()][c]
	if !s.state.running.IsZero() && c == s.state.game.Position().Turn() {
		left -= time.Since(s.state.running)
	}
	return max(left, 0)
}
