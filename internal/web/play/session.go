package play

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// refusal is why a command is refused, besides invalid settings and moves.
type refusal string

func (r refusal) Error() string { return string(r) }

const (
	errStale             = refusal("the game has changed in the meantime")
	errNotYourTurn       = refusal("it is not your turn")
	errOver              = refusal("the game is over")
	errNothingToTakeBack = refusal("there is no move of yours to take back")
	errThinking          = refusal("the engine is thinking")
	errDrawDeclined      = refusal("zhbot plays on")
	errClosed            = refusal("the program is shutting down")
)

// Engine finds moves, as [engine.Engine] does.
type Engine interface {
	Search(ctx context.Context, g *rules.Game, l engine.Limits, report func(engine.Info)) (engine.Result, error)
}

// session is a series of games between a person and the engine, one at a time. It is safe
// for concurrent use.
type session struct {
	o        Options
	searches sync.WaitGroup

	mu         sync.Mutex    // for all that follows; never held during a search
	changed    chan struct{} // closed at the next change
	state      state
	flag       *time.Timer        // at the end of the clock that runs
	stopSearch context.CancelFunc // of the engine's move, or of an evaluation
	closed     bool
}

// state is a game.
type state struct {
	Revision   int // counts the changes of the game
	Settings   Settings
	Started    time.Time
	Game       *rules.Game
	Clocks     []Clocks     // by ply: after the move that led to it
	Running    time.Time    // since when the clock of the side to move runs; zero if it does not
	Thinking   bool         // the engine searches its move
	Score      engine.Score // of the engine's last move, for the engine
	Ending     Ending
	Evaluation *Evaluation // nil for none
	Archived   bool        // the game is over and in the archive
}

// Clocks are the times left, by colour.
type Clocks [2]time.Duration

// newSession begins a session with a game.
func newSession(o Options, first Settings) *session {
	s := &session{o: o, changed: make(chan struct{}), stopSearch: func() {}}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(first)
	return s
}

// Close ends the session: it stops the engine and archives the game.
func (s *session) Close() (err error) {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		s.stop()
		err = s.archive()
	}
	s.mu.Unlock()
	s.searches.Wait()
	return err
}

// at calls run unless the game has changed since a revision.
func (s *session) at(revision int, run func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return errClosed
	case revision != s.state.Revision:
		return errStale
	}
	return run()
}

// begin begins a game. mu is held, here and in all methods below.
func (s *session) begin(settings Settings) {
	s.stop()
	s.state = state{
		Revision: s.state.Revision, Settings: settings, Started: time.Now(), Game: rules.NewGame(settings.Start),
		Clocks: []Clocks{{timeAtStart(settings.Clock), timeAtStart(settings.Clock)}},
	}
	s.proceed()
}

// newGame leaves the current game and begins another.
func (s *session) newGame(c *command) error {
	settings, err := c.settings()
	if err != nil {
		return err
	}
	if err := s.archive(); err != nil {
		return err
	}
	s.begin(settings)
	return nil
}

// archive keeps the game, once, unless nobody has moved.
func (s *session) archive() error {
	if s.o.Archive == nil || s.state.Game.Ply() == 0 || s.state.Archived {
		return nil
	}
	if err := s.o.Archive(s.pgn()); err != nil {
		return fmt.Errorf("the game cannot be saved: %w", err)
	}
	s.state.Archived = true
	return nil
}

// move plays a move of the person, in UCI notation or SAN.
func (s *session) move(c *command) error {
	switch {
	case s.state.Ending.Over():
		return errOver
	case !s.personToMove():
		return errNotYourTurn
	}
	m, err := parseMove(s.state.Game.Position(), c.Move)
	if err != nil {
		return err
	}
	s.play(m)
	return nil
}

// takeBack undoes the person's last move, and the moves after it.
func (s *session) takeBack(*command) error {
	n := s.pliesToTakeBack()
	if n == 0 {
		return errNothingToTakeBack
	}
	s.stop()
	s.state.Game.TakeBack(n)
	s.state.Clocks = s.state.Clocks[:s.state.Game.Ply()+1]
	s.state.Ending, s.state.Archived = Ending{}, false
	s.proceed()
	return nil
}

// pliesToTakeBack returns how many moves takeBack undoes, 0 if the person has not moved.
func (s *session) pliesToTakeBack() int {
	n := 1
	if s.personToMove() {
		n = 2
	}
	if s.state.Game.Ply() < n {
		return 0
	}
	return n
}

// resign ends the game with a win of the engine.
func (s *session) resign(*command) error {
	if s.state.Ending.Over() {
		return errOver
	}
	s.end(Ending{rules.WinOf(s.state.Settings.Side.Other()), byResignation})
	return nil
}

// fewestDrawPlies is how long a game lasts before the engine agrees to a draw.
const fewestDrawPlies = 30

// offerDraw ends the game as a draw if the engine, at its last move, saw no advantage.
func (s *session) offerDraw(*command) error {
	switch {
	case s.state.Ending.Over():
		return errOver
	case !s.personToMove():
		return errNotYourTurn
	case s.state.Score > 0 || s.state.Game.Ply() < fewestDrawPlies:
		return errDrawDeclined
	}
	s.end(Ending{rules.Draw, byAgreement})
	return nil
}

func (s *session) personToMove() bool { return s.state.Game.Position().Turn() == s.state.Settings.Side }

// play plays a legal move, unless its time is up.
func (s *session) play(m rules.Move) {
	mover, ran := s.state.Game.Position().Turn(), !s.state.Running.IsZero()
	s.stop()
	next := s.state.Clocks[s.state.Game.Ply()]
	if ran && next[mover] <= 0 {
		s.end(Ending{rules.WinOf(mover.Other()), byTime})
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
		return
	}
	s.proceed()
}

// stop stops the clock and the search.
func (s *session) stop() {
	s.stopClock()
	s.stopSearch()
	s.state.Thinking, s.state.Evaluation = false, nil
}

// end ends the game, and archives it; if that fails, again when it is left.
func (s *session) end(e Ending) {
	s.stop()
	s.state.Ending = e
	if err := s.archive(); err != nil {
		s.o.Log.Warn().Err(err).Msg("game not archived")
	}
	s.change()
}

// proceed continues after a change: it starts the clock and, at its turn, the engine.
func (s *session) proceed() {
	s.change()
	if s.state.Ending.Over() {
		return
	}
	s.startClock()
	if !s.personToMove() {
		s.think()
	}
}

// change counts a change of the game and tells of it.
func (s *session) change() {
	s.state.Revision++
	s.notify()
}

// notify tells that the state is another one.
func (s *session) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}
