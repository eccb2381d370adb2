package play

import (
	"slices"
	"time"

	"github.com/zhbot/zhbot/rules"
)

// State is a session at one moment. What it refers to is a copy.
type State struct {
	Revision    int // counts the changes of the game
	Settings    Settings
	Started     time.Time
	Game        *rules.Game
	Clocks      []Clocks  // by ply: after the move that led to it
	Running     time.Time // since when the clock of the side to move runs; zero if it does not
	Paused      bool
	Thinking    bool // the engine searches its move
	CanTakeBack bool
	Ending      Ending
	Evaluation  *Evaluation // nil for none
}

// State returns the current state.
func (s *Session) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.snapshot()
}

// snapshot returns the state with what is not stored in it, and with copies of what
// changes.
func (s *Session) snapshot() State {
	state := s.state
	state.Game, state.Clocks = state.Game.Clone(), slices.Clone(state.Clocks)
	state.Thinking, state.CanTakeBack = s.stopThinking != nil, s.pliesToTakeBack() > 0
	if state.Evaluation != nil {
		state.Evaluation = new(*state.Evaluation)
	}
	return state
}

// Changed returns a channel that is closed at the next change of the state. To miss none,
// ask for it before [Session.State].
func (s *Session) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// PersonToMove reports whether the person may move.
func (s *State) PersonToMove() bool {
	return !s.Ending.Over() && !s.Paused && s.Game.Position().Turn() == s.Settings.Side
}

// Ending is how a game ended; the zero value is one in progress.
type Ending struct {
	Result rules.Result
	By     string // "checkmate", "time", …
}

// The ways in which games end other than by the rules.
const (
	byResignation = "resignation"
	byTime        = "time"
)

// Over reports whether the game has ended.
func (e Ending) Over() bool { return e.By != "" }

// String describes the ending, as in "White won by checkmate"; "" for a game in progress.
func (e Ending) String() string {
	how := "by " + e.By
	if e.By == byTime {
		how = "on time"
	}
	switch {
	case !e.Over():
		return ""
	case e.Result == rules.WhiteWins:
		return "White won " + how
	case e.Result == rules.BlackWins:
		return "Black won " + how
	}
	return "Drawn " + how
}
