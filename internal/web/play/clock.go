package play

import (
	"time"

	"github.com/zhbot/zhbot/rules"
)

// pliesWithoutClock is how many moves are made before the clocks run: one by each side.
const pliesWithoutClock = 2

// startClock starts the clock of the side to move, if there is one.
func (s *Session) startClock() {
	if s.state.Settings.Clock.IsZero() || s.state.Game.Ply() < pliesWithoutClock {
		return
	}
	s.state.Running = time.Now()
	revision := s.state.Revision
	s.flag = time.AfterFunc(s.left(s.state.Game.Position().Turn()), func() { s.timeUp(revision) })
}

// stopClock stops the clock of the side to move, and books the time it took.
func (s *Session) stopClock() {
	if s.state.Running.IsZero() {
		return
	}
	turn := s.state.Game.Position().Turn()
	s.state.Clocks[s.state.Game.Ply()][turn] = s.left(turn)
	s.state.Running = time.Time{}
	s.flag.Stop()
	s.flag = nil
}

// left returns the time left to a side now.
func (s *Session) left(c rules.Color) time.Duration {
	left := s.state.Clocks[s.state.Game.Ply()][c]
	if !s.state.Running.IsZero() && c == s.state.Game.Position().Turn() {
		left -= time.Since(s.state.Running)
	}
	return max(left, 0)
}

// timeUp ends the game when the clock of a revision has run out.
func (s *Session) timeUp(revision int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || revision != s.state.Revision {
		return
	}
	s.stop()
	s.end(Ending{rules.WinOf(s.state.Game.Position().Turn().Other()), byTime})
	s.change()
}
