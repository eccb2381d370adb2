package play

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// conflict is the error of a command that the game does not allow now.
type conflict string

func (c conflict) Error() string { return string(c) }

// The reasons why a command is refused, besides invalid settings and moves.
const (
	ErrStale             = conflict("the game has changed in the meantime")
	ErrNotYourTurn       = conflict("it is not your turn")
	ErrOver              = conflict("the game is over")
	ErrPaused            = conflict("the game is paused")
	ErrNoClock           = conflict("no clock is running")
	ErrNothingToTakeBack = conflict("there is no move of yours to take back")
	ErrThinking          = conflict("the engine is thinking")
)

var (
	// ErrNotSaved is returned while there is no way to save the game.
	ErrNotSaved = errors.New("the game cannot be saved")
	// ErrClosed is returned once the program shuts down.
	ErrClosed = errors.New("the program is shutting down")
)

// Engine finds moves, as [engine.Engine] does.
type Engine interface {
	Search(ctx context.Context, g *rules.Game, l engine.Limits, report func(engine.Info)) (engine.Result, error)
}

// SessionOptions configure a [Session].
type SessionOptions struct {
	Engine         Engine
	EngineName     string        // in PGN
	Player         string        // name of the person, in PGN
	MoveTime       time.Duration // of the engine, for a move without a clock
	EvaluationTime time.Duration // for an evaluation

	// Archive stores a game that is left because another one begins or the session is
	// closed. nil stores none.
	Archive func(*pgn.Game) error

	Log zerolog.Logger
}

// Session is a series of games between a person and the engine, one at a time. It is safe
// for concurrent use.
type Session struct {
	o        SessionOptions
	searches sync.WaitGroup

	mu             sync.Mutex         // for all that follows; never held during a search
	changed        chan struct{}      // closed at the next change
	state          State              // but for what snapshot adds
	flag           *time.Timer        // at the end of the clock that runs; nil if none does
	stopThinking   context.CancelFunc // of the engine's move; nil if it is not thinking
	stopEvaluating context.CancelFunc // nil if none is running
	closed         bool
}

// Clocks are the times left, by colour.
type Clocks [2]time.Duration

// NewSession begins a session with a game.
func NewSession(o SessionOptions, first Settings) (*Session, error) {
	if err := first.check(); err != nil {
		return nil, err
	}
	s := &Session{o: o, changed: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(first)
	return s, nil
}

// Close ends the session: it stops the engine and archives the game.
func (s *Session) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.stop()
	err := s.archive()
	s.mu.Unlock()
	s.searches.Wait()
	return err
}

// begin begins a game. mu is held, here and in all unexported methods but those that
// searches and timers call.
func (s *Session) begin(settings Settings) {
	s.stop()
	s.state = State{
		Revision: s.state.Revision, Settings: settings, Started: time.Now(), Game: rules.NewGame(settings.Start),
		Clocks: []Clocks{{timeAtStart(settings.Clock), timeAtStart(settings.Clock)}},
	}
	s.proceed()
}

// command runs a command of the person at the revision it is about.
func (s *Session) command(revision int, run func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return ErrClosed
	case revision != s.state.Revision:
		return ErrStale
	}
	return run()
}

// NewGame leaves the current game and begins another.
func (s *Session) NewGame(revision int, settings Settings) error {
	if err := settings.check(); err != nil {
		return err
	}
	return s.command(revision, func() error {
		if err := s.archive(); err != nil {
			return err
		}
		s.begin(settings)
		return nil
	})
}

// archive keeps the game unless nobody has moved.
func (s *Session) archive() error {
	if s.o.Archive == nil || s.state.Game.Ply() == 0 {
		return nil
	}
	if err := s.o.Archive(s.pgn()); err != nil {
		return fmt.Errorf("%w: %w", ErrNotSaved, err)
	}
	return nil
}

// Move plays a move of the person, in UCI notation or SAN.
func (s *Session) Move(revision int, text string) error {
	return s.command(revision, func() error {
		switch {
		case s.state.Ending.Over():
			return ErrOver
		case s.state.Paused:
			return ErrPaused
		case !s.personToMove():
			return ErrNotYourTurn
		}
		m, err := parseMove(s.state.Game.Position(), text)
		if err != nil {
			return err
		}
		s.play(m)
		return nil
	})
}

// TakeBack undoes the person's last move, and the moves after it.
func (s *Session) TakeBack(revision int) error {
	return s.command(revision, func() error {
		n := s.pliesToTakeBack()
		if n == 0 {
			return ErrNothingToTakeBack
		}
		s.stop()
		s.state.Game.TakeBack(n)
		s.state.Clocks = s.state.Clocks[:s.state.Game.Ply()+1]
		s.state.Paused, s.state.Ending = false, Ending{}
		s.proceed()
		return nil
	})
}

// pliesToTakeBack returns how many moves TakeBack undoes, 0 if the person has not moved.
func (s *Session) pliesToTakeBack() int {
	n := 1
	if s.personToMove() {
		n = 2
	}
	if s.state.Game.Ply() < n {
		return 0
	}
	return n
}

// Resign ends the game with a win of the engine.
func (s *Session) Resign(revision int) error {
	return s.command(revision, func() error {
		if s.state.Ending.Over() {
			return ErrOver
		}
		s.stop()
		s.end(Ending{rules.WinOf(s.state.Settings.Side.Other()), byResignation})
		s.change()
		return nil
	})
}

// Pause stops the person's clock and the game, or resumes both.
func (s *Session) Pause(revision int, paused bool) error {
	return s.command(revision, func() error {
		switch {
		case s.state.Ending.Over():
			return ErrOver
		case !s.personToMove():
			return ErrNotYourTurn
		case paused == s.state.Paused:
			return nil
		case paused && s.state.Running.IsZero():
			return ErrNoClock
		}
		s.stop()
		s.state.Paused = paused
		s.proceed()
		return nil
	})
}

func (s *Session) personToMove() bool { return s.state.Game.Position().Turn() == s.state.Settings.Side }

// play plays a legal move, unless its time is up.
func (s *Session) play(m rules.Move) {
	mover, ran := s.state.Game.Position().Turn(), !s.state.Running.IsZero()
	s.stop()
	next := s.state.Clocks[s.state.Game.Ply()]
	if ran && next[mover] <= 0 {
		s.end(Ending{rules.WinOf(mover.Other()), byTime})
		s.change()
		return
	}
	if ran {
		next[mover] += s.state.Settings.Clock.Increment
	}
	if err := s.state.Game.Play(m); err != nil { // the callers have checked it
		s.o.Log.Error().Err(err).Msg("move not played")
		return
	}
	s.state.Clocks = append(s.state.Clocks, next)
	if o := s.state.Game.Outcome(rules.Threefold); o.Over() {
		s.end(Ending{o.Result(), o.Termination.String()})
	}
	s.proceed()
}

// stop stops the clock and all searches.
func (s *Session) stop() {
	s.stopClock()
	for _, cancel := range []*context.CancelFunc{&s.stopThinking, &s.stopEvaluating} {
		if *cancel != nil {
			(*cancel)()
			*cancel = nil
		}
	}
	s.state.Evaluation = nil
}

// proceed continues after a change: it starts the clock and, at its turn, the engine.
func (s *Session) proceed() {
	s.change()
	if s.state.Ending.Over() || s.state.Paused || s.closed {
		return
	}
	s.startClock()
	if !s.personToMove() {
		s.think()
	}
}

// change counts a change of the game and tells of it.
func (s *Session) change() {
	s.state.Revision++
	s.notify()
}

// notify tells that the state is another one.
func (s *Session) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// end ends the game.
func (s *Session) end(e Ending) { s.state.Ending, s.state.Paused = e, false }
