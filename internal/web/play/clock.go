package play

import (
	"time"

	"github.com/zhbot/zhbot/rules"
)

// pliesWithoutClock is how many moves are made before the clocks run: one by each side.
const pliesWithoutClock = 2

// startClock starts the clock of the side to move, if there is one.
func (s *Session) startClock() {
	if s.settings.Clock.IsZero() || s.game.Ply() < pliesWithoutClock {
		return
	}
	s.running = time.Now()
	revision := s.revision
	s.flag = time.AfterFunc(s.left(s.game.Position().Turn()), func() { s.timeUp(revision) })
}

// stopClock stops the clock of the side to move, and books the time it took.
func (s *Session) stopClock() {
	if s.running.IsZero() {
		return
	}
	turn := s.game.Position().Turn()
	s.clocks[s.game.Ply()][turn] = s.left(turn)
	s.running = time.Time{}
	s.flag.Stop()
	s.flag = nil
}

// left returns the time left to a side now.
func (s *Session) left(c rules.Color) time.Duration {
	left := s.clocks[s.game.Ply()][c]
	if !s.running.IsZero() && c == s.game.Position().Turn() {
		left -= time.Since(s.running)
	}
	return max(left, 0)
}

// timeUp ends the game when the clock of a revision has run out.
func (s *Session) timeUp(revision int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || revision != s.revision {
		return
	}
	s.stop()
	s.end(Ending{rules.WinOf(s.game.Position().Turn().Other()), byTime})
	s.change()
}
