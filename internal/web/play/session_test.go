package play

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// scriptedEngine plays given moves, each after the same time, and then the first legal one.
type scriptedEngine struct {
	thinks time.Duration
	script []string
	next   atomic.Int32
	score  engine.Score
	err    error
	limits atomic.Pointer[engine.Limits] // of the last search
}

func (e *scriptedEngine) Search(ctx context.Context, g *rules.Game, l engine.Limits, report func(engine.Info)) (engine.Result, error) {
	e.limits.Store(&l)
	info := engine.Info{Depth: 1, Score: e.score, PV: g.Position().LegalMoves()[:1]}
	if report != nil {
		report(info)
	}
	select {
	case <-time.After(e.thinks):
	case <-ctx.Done():
	}
	m := info.PV[0]
	if report == nil { // not an evaluation
		if i := int(e.next.Add(1)) - 1; i < len(e.script) {
			m, _ = g.Position().ParseUCI(e.script[i]) // an illegal one is none
		}
	}
	return engine.Result{Move: m, Info: info}, e.err
}

// start begins a session, which ends with the test.
func start(t *testing.T, e Engine, settings Settings) *session {
	t.Helper()
	if settings.Start == (rules.Position{}) {
		settings.Start = rules.StartPosition()
	}
	s := newSession(Options{Engine: e, MoveTime: 10 * time.Millisecond, EvaluationTime: 100 * time.Millisecond, EngineName: "zhbot", Log: zerolog.Nop()}, settings)
	t.Cleanup(func() { s.Close() })
	return s
}

// snapshot is a session at one moment.
type snapshot struct {
	state
	CanTakeBack, PersonToMove bool
}

// State returns the state now.
func (s *session) State() snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := snapshot{s.state, s.pliesToTakeBack() > 0, len(s.legalMoves()) > 0}
	now.Game, now.Clocks = now.Game.Clone(), slices.Clone(now.Clocks)
	if now.Evaluation != nil {
		now.Evaluation = new(*now.Evaluation)
	}
	return now
}

// The commands of the person.

func (s *session) do(name string, c command) error {
	return s.at(c.Revision, func() error { return commands()[name](s, &c) })
}
func (s *session) Move(revision int, text string) error {
	return s.do("move", command{Revision: revision, Move: text})
}
func (s *session) TakeBack(revision int) error  { return s.do("takeback", command{Revision: revision}) }
func (s *session) Resign(revision int) error    { return s.do("resign", command{Revision: revision}) }
func (s *session) OfferDraw(revision int) error { return s.do("draw", command{Revision: revision}) }
func (s *session) Pause(revision int, paused bool) error {
	return s.do("pause", command{Revision: revision, Paused: paused})
}
func (s *session) Evaluate(revision, ply int) error {
	return s.do("evaluate", command{Revision: revision, Ply: ply})
}

// waitFor waits until the state fulfils a condition.
func waitFor(t *testing.T, s *session, what string, holds func(snapshot) bool) snapshot {
	t.Helper()
	deadline := time.After(5 * time.Minute)
	for {
		_, changed := s.parts(true)
		state := s.State()
		if holds(state) {
			return state
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("not within five minutes: %s; the state is %+v", what, state)
		}
	}
}

// personToMove waits until the engine has moved.
func personToMove(t *testing.T, s *session) snapshot {
	t.Helper()
	return waitFor(t, s, "the person is to move", func(state snapshot) bool { return state.PersonToMove || state.Ending.Over() })
}

// play plays moves of the person, waiting for the engine before each and at the end.
func play(t *testing.T, s *session, moves ...string) snapshot {
	t.Helper()
	for _, m := range moves {
		if err := s.Move(personToMove(t, s).Revision, m); err != nil {
			t.Fatal(err)
		}
	}
	return personToMove(t, s)
}

// must fails the test on an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A person who moves at random plays the real engine to the end, as both sides: it is a
// game by the rules, and the person never has the last word.
func TestSession_WholeGames(t *testing.T) {
	e := engine.New(engine.Options{Threads: 1, HashMB: 1})
	for _, side := range []rules.Color{rules.White, rules.Black} {
		s := start(t, e, Settings{Side: side, Level: 12})
		random := rand.New(rand.NewPCG(1, uint64(side)))
		for {
			state := personToMove(t, s)
			if state.Ending.Over() {
				if o := state.Game.Outcome(rules.Threefold); o.Result() != state.Ending.Result || state.Ending.Result.For(side) == "win" {
					t.Errorf("%s after %d moves; on the board it is %s", state.Ending, state.Game.Ply(), o.Result())
				}
				break
			}
			moves := state.Game.Position().LegalMoves()
			must(t, s.Move(state.Revision, moves[random.IntN(len(moves))].String()))
		}
	}
}

// A command about a game that has changed meanwhile, or that the game does not allow,
// changes nothing.
func TestSession_Refuses(t *testing.T) {
	e := &scriptedEngine{thinks: time.Hour}
	mated := rulestest.Position(t, "6k1/5ppp/8/8/8/8/5PPP/6K1/R w - - 0 1")
	for _, tt := range []struct {
		name     string
		settings Settings
		before   func(*session) error // of the command
		command  func(*session, int) error
		want     error
	}{
		{"old revision", Settings{}, nil, func(s *session, r int) error { return s.Move(r-1, "e4") }, ErrStale},
		{"future revision", Settings{}, nil, func(s *session, r int) error { return s.Resign(r + 1) }, ErrStale},
		{"move of the engine's", Settings{Side: rules.Black}, nil, func(s *session, r int) error { return s.Move(r, "e4") }, ErrNotYourTurn},
		{"nothing to take back", Settings{}, nil, (*session).TakeBack, ErrNothingToTakeBack},
		{"nothing of the person's to take back", Settings{Side: rules.Black}, nil, (*session).TakeBack, ErrNothingToTakeBack},
		{"pause without a clock", Settings{}, nil, func(s *session, r int) error { return s.Pause(r, true) }, ErrNoClock},
		{"pause of the engine", Settings{Side: rules.Black}, nil, func(s *session, r int) error { return s.Pause(r, true) }, ErrNotYourTurn},
		{"evaluation while the engine thinks", Settings{Side: rules.Black}, nil, func(s *session, r int) error { return s.Evaluate(r, 0) }, ErrThinking},
		{"evaluation of a position to come", Settings{}, nil, func(s *session, r int) error { return s.Evaluate(r, 1) }, ErrStale},
		{"move after the end", Settings{}, func(s *session) error { return s.Resign(1) }, func(s *session, r int) error { return s.Move(r, "e4") }, ErrOver},
		{"resignation after the end", Settings{}, func(s *session) error { return s.Resign(1) }, (*session).Resign, ErrOver},
		{"draw after the end", Settings{}, func(s *session) error { return s.Resign(1) }, (*session).OfferDraw, ErrOver},
		{"draw in the engine's turn", Settings{Side: rules.Black}, nil, (*session).OfferDraw, ErrNotYourTurn},
		{"pause after the end", Settings{}, func(s *session) error { return s.Resign(1) }, func(s *session, r int) error { return s.Pause(r, true) }, ErrOver},
		{"evaluation of a mate", Settings{Start: mated}, func(s *session) error { return s.Move(1, "R@a8") }, func(s *session, r int) error { return s.Evaluate(r, 1) }, ErrOver},
		{"move after Close", Settings{}, (*session).Close, func(s *session, r int) error { return s.Move(r, "e4") }, ErrClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, e, tt.settings)
			if tt.before != nil {
				must(t, tt.before(s))
			}
			before := s.State()
			if err := tt.command(s, before.Revision); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if after := s.State(); after.Revision != before.Revision || after.Game.Ply() != before.Game.Ply() || after.Ending != before.Ending {
				t.Errorf("changed from %+v to %+v", before, after)
			}
		})
	}
}

func TestSession_RefusesMoves(t *testing.T) {
	position := rulestest.Position(t, "4k3/P7/8/8/8/2N3N1/8/4K3/n w - - 0 1")
	s := start(t, &scriptedEngine{thinks: time.Hour}, Settings{Start: position})
	for text, reason := range map[string]string{
		"":         "not a move; write it as in e4, Nf3, O-O, N@f7, e8=Q or e2e4",
		"e2e4":     "not legal in this position",
		"N@f7":     "not legal in this position",
		"Qd4":      "not legal in this position",
		"Ne4":      "ambiguous; name the square that the piece comes from, as in Nbd2",
		"<script>": "not a move; write it as in e4, Nf3, O-O, N@f7, e8=Q or e2e4",
	} {
		if err := s.Move(1, text); err == nil || err.Error() != strconv.Quote(text)+": "+reason {
			t.Errorf("%q: error %v, want %s", text, err, reason)
		}
	}
	must(t, s.Move(1, "a8=N"))
	if state := s.State(); state.Game.Moves()[0].String() != "a7a8n" {
		t.Errorf("played %s", state.Game.Moves()[0])
	}
}

// Taking back undoes the engine's answer or, while it thinks, only the person's move.
func TestSession_TakeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, &scriptedEngine{thinks: time.Second, script: []string{"e7e5", "d7d5", "b8c6"}}, Settings{})
		state := play(t, s, "e4")
		if !state.CanTakeBack || state.Game.Ply() != 2 {
			t.Fatalf("state %+v", state)
		}
		must(t, s.TakeBack(state.Revision))
		if state = s.State(); state.Game.Ply() != 0 || state.CanTakeBack || !state.PersonToMove {
			t.Fatalf("after a takeback: %+v", state)
		}
		must(t, s.Move(state.Revision, "d4"))
		if state = s.State(); !state.Thinking {
			t.Fatal("the engine does not think")
		}
		must(t, s.TakeBack(state.Revision))
		time.Sleep(2 * time.Second) // the search that was cancelled has no effect
		if state = s.State(); state.Game.Ply() != 0 || state.Thinking {
			t.Errorf("after the takeback of the move that the engine thought about: %+v", state)
		}
		must(t, s.Resign(state.Revision))
		state = s.State()
		if err := s.TakeBack(state.Revision); !errors.Is(err, ErrNothingToTakeBack) {
			t.Errorf("error %v", err)
		}
	})
}

// longGame is more moves than fewestDrawPlies, against [scriptedEngine].
var longGame = strings.Fields("h4 g4 a4 Na3 f4 e4 d4 c4 b4 h5 h6 g5 g6 f5 f6 e5")

// The engine agrees to a draw late in the game, if it sees no advantage.
func TestSession_OfferDraw(t *testing.T) {
	knights := slices.Repeat([]string{"Nf3", "Nc3", "Ng1", "Nb1"}, 2)
	for _, tt := range []struct {
		name  string
		score engine.Score
		moves []string
		want  error
	}{
		{"at the beginning", -100, nil, ErrDrawDeclined},
		{"early", -100, knights, ErrDrawDeclined},
		{"late, and the engine is better", 30, longGame, ErrDrawDeclined},
		{"late, and nobody is better", 0, longGame, nil},
		{"late, and the engine is worse", -100, longGame, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, &scriptedEngine{score: tt.score}, Settings{})
			state := play(t, s, tt.moves...)
			if err := s.OfferDraw(state.Revision); !errors.Is(err, tt.want) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if after := s.State(); after.Ending.Over() != (tt.want == nil) || after.Ending.Over() && after.Ending.String() != "Drawn by agreement" {
				t.Errorf("ending %q", after.Ending)
			}
		})
	}
}

// A game that is over goes on after a takeback.
func TestSession_TakeBackTheEnd(t *testing.T) {
	position := rulestest.Position(t, "6k1/5ppp/8/8/8/8/5PPP/6K1/R w - - 0 1")
	s := start(t, &scriptedEngine{}, Settings{Start: position})
	state := play(t, s, "R@a8")
	if state.Ending.String() != "White won by checkmate" {
		t.Fatalf("ending %q", state.Ending)
	}
	must(t, s.TakeBack(state.Revision))
	if state = play(t, s, "R@a1"); state.Ending.Over() || state.Game.Ply() != 2 {
		t.Errorf("after the takeback: %+v", state)
	}
}

// The third occurrence of a position ends the game.
func TestSession_Repetition(t *testing.T) {
	script := slices.Repeat([]string{"g8f6", "f6g8"}, 2)
	s := start(t, &scriptedEngine{script: script}, Settings{})
	state := play(t, s, "Nf3", "Ng1", "Nf3")
	if state.Ending.Over() || state.Game.Repetitions() != 2 {
		t.Fatalf("too early: %+v", state)
	}
	if state = play(t, s, "Ng1"); state.Ending.String() != "Drawn by threefold repetition" || state.Game.Ply() != 8 {
		t.Errorf("ending %q after %d moves", state.Ending, state.Game.Ply())
	}
}

// A search that fails or answers nonsense costs a move at most.
func TestSession_EngineFails(t *testing.T) {
	s := start(t, &scriptedEngine{err: errors.New("panic"), script: []string{"e2e4"}}, Settings{})
	if state := play(t, s, "e4", "d4"); state.Game.Ply() != 4 {
		t.Errorf("state %+v", state)
	}
}

func TestSession_NewGame(t *testing.T) {
	s := start(t, &scriptedEngine{}, Settings{})
	state := play(t, s, "e4")
	if err := s.do("new", command{Revision: state.Revision, Side: "white", Clock: "none", Level: 21}); err == nil || s.State().Game.Ply() != 2 {
		t.Errorf("level 21: error %v", err)
	}
	must(t, s.do("new", command{Revision: state.Revision, Side: "black", Clock: "none", Level: 3}))
	if state = personToMove(t, s); state.Game.Ply() != 1 || state.Settings.Side != rules.Black || state.Settings.Level != 3 {
		t.Errorf("the new game: %+v", state)
	}
}

// An evaluation is made by the real engine at full strength, of any position of the game,
// and ends with the next move.
func TestSession_Evaluate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // whose clock stands still while the engine searches
		position := rulestest.Position(t, "6k1/5ppp/8/8/8/8/5PPP/6K1/R w - - 0 1")
		s := start(t, engine.New(engine.Options{Threads: 1, HashMB: 1}), Settings{Start: position, Level: 0})
		must(t, s.Evaluate(1, 0))
		state := waitFor(t, s, "the evaluation is complete", func(state snapshot) bool { return state.Evaluation != nil && !state.Evaluation.Searching })
		if state.Evaluation.Mate != 1 || state.Revision != 1 {
			t.Errorf("evaluation %+v, want a mate in 1", state.Evaluation)
		}
		state = play(t, s, "h3")
		if state.Evaluation != nil {
			t.Errorf("after a move there is still the evaluation %+v", state.Evaluation)
		}
		must(t, s.Evaluate(state.Revision, 1))
		state = waitFor(t, s, "there is an evaluation", func(state snapshot) bool { return state.Evaluation != nil && state.Evaluation.Depth > 0 })
		if state.Evaluation.Ply != 1 {
			t.Errorf("evaluation of ply %d", state.Evaluation.Ply)
		}
		must(t, s.Evaluate(state.Revision, 2)) // instead of the other one
		must(t, s.Resign(state.Revision))
		if state = s.State(); state.Evaluation != nil {
			t.Errorf("after the end there is still the evaluation %+v", state.Evaluation)
		}
	})
}

// Without a clock, only a choice takes the engine's time.
func TestSession_ForcedReply(t *testing.T) {
	p := rulestest.Position(t, "rnb1kbnr/pppp1ppp/4p3/8/7q/P4P2/1PPPP1PP/RNBQKBNR w KQkq - 1 3") // only g3 is legal
	e := &scriptedEngine{}
	s := start(t, e, Settings{Start: p, Side: rules.Black})
	personToMove(t, s)
	if l := e.limits.Load(); l.MoveTime != time.Millisecond {
		t.Errorf("%s for a forced reply", l.MoveTime)
	}
	play(t, s, "Qh5")
	if l := e.limits.Load(); l.MoveTime != 10*time.Millisecond {
		t.Errorf("%s for a choice", l.MoveTime)
	}
}

// A level below the highest is passed on to the search; an evaluation has none.
func TestSession_Level(t *testing.T) {
	e := &scriptedEngine{}
	s := start(t, e, Settings{Level: 3})
	state := play(t, s, "e4")
	if l := e.limits.Load(); l.Strength == (human.Strength{}) || l.MoveTime != 10*time.Millisecond {
		t.Errorf("limits %+v", l)
	}
	must(t, s.Evaluate(state.Revision, 0))
	waitFor(t, s, "the evaluation has begun", func(state snapshot) bool { return state.Evaluation.Depth > 0 })
	if l := e.limits.Load(); l.Strength != (human.Strength{}) {
		t.Errorf("limits of an evaluation %+v", l)
	}
}
