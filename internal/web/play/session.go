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
	revision   int // counts the changes of the game
	settings   Settings
	started    time.Time
	game       *rules.Game
	clocks     []Clocks     // by ply: after the move that led to it
	running    time.Time    // since when the clock of the side to move runs; zero if it does not
	thinking   bool         // the engine searches its move
	score      engine.Score // of the engine's last move, for the engine
	ending     Ending
	evaluation *Evaluation // nil for none
	archived   bool        // the game is over and in the archive
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
	case revision != s.state.revision:
		return errStale
	}
	return run()
}

// begin begins a game. mu is held, here and in all methods below.
func (s *session) begin(settings Settings) {
	s.stop()
	s.state = state{
		revision: s.state.revision, settings: settings, started: time.Now(), game: rules.NewGame(settings.Start),
		clocks: []Clocks{{timeAtStart(settings.Clock), timeAtStart(settings.Clock)}},
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
	if s.o.Archive == nil || s.state.game.Ply() == 0 || s.state.archived {
		return nil
	}
	if err := s.o.Archive(s.pgn()); err != nil {
		return fmt.Errorf("the game cannot be saved: %w", err)
	}
	s.state.archived = true
	return nil
}

// move plays a move of the person, in UCI notation or SAN.
func (s *session) move(c *command) error {
	switch {
	case s.state.ending.Over():
		return errOver
	case !s.personToMove():
		return errNotYourTurn
	}
	m, err := parseMove(s.state.game.Position(), c.Move)
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
	s.state.game.TakeBack(n)
	s.state.clocks = s.state.clocks[:s.state.game.Ply()+1]
	s.state.ending, s.state.archived = Ending{}, false
	s.proceed()
	return nil
}

// pliesToTakeBack returns how many moves takeBack undoes, 0 if the person has not moved.
func (s *session) pliesToTakeBack() int {
	n := 1
	if s.personToMove() {
		n = 2
	}
	if s.state.game.Ply() < n {
		return 0
	}
	return n
}

// resign ends the game with a win of the engine.
func (s *session) resign(*command) error {
	if s.state.ending.Over() {
		return errOver
	}
	s.end(Ending{rules.WinOf(s.state.settings.Side.Other()), byResignation})
	return nil
}

// fewestDrawPlies is how long a game lasts before the engine agrees to a draw.
const fewestDrawPlies = 30

// offerDraw ends the game as a draw if the engine, at its last move, saw no advantage.
func (s *session) offerDraw(*command) error {
	switch {
	case s.state.ending.Over():
		return errOver
	case !s.personToMove():
		return errNotYourTurn
	case s.state.score > 0 || s.state.game.Ply() < fewestDrawPlies:
		return errDrawDeclined
	}
	s.end(Ending{rules.Draw, byAgreement})
	return nil
}

func (s *session) personToMove() bool { return s.state.game.Position().Turn() == s.state.settings.Side }

// play plays a legal move, unless its time is up.
func (s *session) play(m rules.Move) {
	mover, ran := s.state.game.Position().Turn(), !s.state.running.IsZero()
	s.stop()
	next := s.state.clocks[s.state.game.Ply()]
	if ran && next[mover] <= 0 {
		s.end(Ending{rules.WinOf(mover.Other()), byTime})
		return
	}
	if ran {
		next[mover] += s.state.settings.Clock.Increment
	}
	if err := s.state.game.Play(m); err != nil { // the callers have checked it
		s.o.Log.Error().Err(err).Msg("move not played")
		return
	}
	s.state.clocks = append(s.state.clocks, next)
	if o := s.state.game.Outcome(rules.Threefold); o.Over() {
		s.end(Ending{o.Result(), o.Termination.String()})
		return
	}
	s.proceed()
}

// stop stops the clock and the search.
func (s *session) stop() {
	s.stopClock()
	s.stopSearch()
	s.state.thinking, s.state.evaluation = false, nil
}

// end ends the game, and archives it; if that fails, again when it is left.
func (s *session) end(e Ending) {
	s.stop()
	s.state.ending = e
	if err := s.archive(); err != nil {
		s.o.Log.Warn().Err(err).Msg("game not archived")
	}
	s.change()
}

// proceed continues after a change: it starts the clock and, at its turn, the engine.
func (s *session) proceed() {
	s.change()
	if s.state.ending.Over() {
		return
	}
	s.startClock()
	if !s.personToMove() {
		s.think()
	}
}

// change counts a change of the game and tells of it.
func (s *session) change() {
	s.state.revision++
	s.notify()
}

// notify tells that the state is another one.
func (s *session) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}
