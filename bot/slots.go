package bot

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// SlotLimits bound the games at once, those that are about to start included.
type SlotLimits struct {
	Max               int // games in all
	ReservedForHumans int // of these, closed to bots
	MaxPerOpponent    int // 0 for no bound
}

// Why there is no slot.
var (
	errFull        = errors.New("games.max reached")
	errReserved    = errors.New("games.reserved_for_humans: the free slots are not for bots")
	errPerOpponent = errors.New("games.max_per_opponent reached")
	errNotReady    = errors.New("the games in play are not known yet")
	errDraining    = errors.New("shutting down")
	errKnown       = errors.New("the game has a slot")
)

// participant says who a slot is for.
type participant struct {
	opponent string // id; may be empty
	bot      bool
	clock    bool   // the game has a clock, so draining waits for it
	arena    string // id of the arena it belongs to; empty for none
}

// phase is where a slot's game is.
type phase int

const (
	pending phase = iota // may start any moment
	live                 // the server runs it
	ended                // over; counts no more, but its goroutine is not done
)

type slot struct {
	participant
	outgoing bool // for a challenge of ours; when its game starts, nobody plays it yet
	phase    phase
	final    chan *lichess.Game // the server's word on the game's end; buffered
	listed   chan listing       // takes what a list of games says; holds one, nil until the game is read
	unpark   func()             // reads the game anew, if it rests
}

func newSlot(p participant, in phase) *slot {
	return &slot{participant: p, phase: in, final: make(chan *lichess.Game, 1)}
}

// maxEnded is how many games are remembered as ended, so that a late word of
// the server does not start them again.
const maxEnded = 256

// slots is the table of games in play or about to be. Whether there is room is
// decided here only, under one lock.
type slots struct {
	mu         sync.Mutex
	limits     SlotLimits
	table      map[string]*slot // by game id, which is the challenge's
	ended      []string         // games that ended, the newest last
	lastBusy   time.Time        // when a game with a clock was last on
	closed     error            // why nothing new is taken; nil if open
	clocksDone chan struct{}    // closed when the last game with a clock is gone; nil if nobody waits
	onChange   func()           // called, without the lock, when there may be more room
}

// newSlots returns an empty table that takes nothing new until it is opened.
func newSlots(l SlotLimits, onChange func()) *slots {
	return &slots{limits: l, table: make(map[string]*slot), closed: errNotReady, onChange: onChange, lastBusy: time.Now()}
}

// open lets new games in, unless the bot is draining.
func (s *slots) open() {
	s.mu.Lock()
	opened := errors.Is(s.closed, errNotReady)
	if opened {
		s.closed = nil
	}
	s.mu.Unlock()
	if opened {
		s.onChange()
	}
}

// close lets nothing new in any more.
func (s *slots) close() {
	s.mu.Lock()
	s.closed = errDraining
	s.mu.Unlock()
	s.onChange()
}

// resize changes the limits. Games beyond them go on.
func (s *slots) resize(l SlotLimits) {
	s.mu.Lock()
	s.limits = l
	s.mu.Unlock()
	s.onChange()
}

// reserve reserves a slot for a game that may start, or says why there is none. A game
// that has one keeps it as it is.
func (s *slots) reserve(id string, p participant) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.table[id]; known {
		return errKnown
	}
	if err := s.checkCapacity(p); err != nil {
		return err
	}
	s.table[id] = newSlot(p, pending)
	return nil
}

// checkCapacity says why there is no slot for a party, or nil.
func (s *slots) checkCapacity(p participant) error {
	var games, bots, same int
	for _, t := range s.table {
		if t.phase == ended {
			continue
		}
		games++
		if t.bot {
			bots++
		}
		if t.opponent == p.opponent {
			same++
		}
	}
	switch l := s.limits; {
	case s.closed != nil:
		return s.closed
	case games >= l.Max:
		return errFull
	case p.bot && bots >= l.Max-l.ReservedForHumans:
		return errReserved
	case l.MaxPerOpponent > 0 && same >= l.MaxPerOpponent:
		return errPerOpponent
	}
	return nil
}

// gamesWith returns the games with an opponent that are on or about to be, or over
// but not yet dealt with.
func (s *slots) gamesWith(opponent string) (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, t := range s.table {
		if t.opponent == opponent {
			ids = append(ids, id)
		}
	}
	return ids
}

// register gives a slot to a game that the server runs, also beyond the limits. It
// reports whether the game was new, so that the caller has to play it.
func (s *slots) register(id string, p participant) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, known := s.table[id]; known {
		t.phase = max(t.phase, live)
		unplayed := t.outgoing
		t.outgoing = false
		return unplayed
	}
	if slices.Contains(s.ended, id) {
		return false
	}
	if p.arena != "" {
		delete(s.table, arenaSlot(p.arena)) // was held for this game
	}
	s.table[id] = newSlot(p, live)
	return true
}

// setParticipant notes what a game's own stream says of it.
func (s *slots) setParticipant(id string, p participant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.table[id]; ok {
		t.participant, t.phase = p, max(t.phase, live)
	}
}

// attachGame names what takes the word of a list of games on a game, and what wakes the
// game.
func (s *slots) attachGame(id string, listed chan listing, wake func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.table[id]; ok {
		t.listed, t.unpark = listed, wake
	}
}

// deliverListings tells the live games what a list of games says of them: also that it lacks
// them, if it is complete.
func (s *slots) deliverListings(games []lichess.Game, asked time.Time, complete bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, t := range s.table {
		if t.phase != live || t.listed == nil {
			continue
		}
		l := listing{asked: asked}
		if i := slices.IndexFunc(games, func(g lichess.Game) bool { return g.ID == id }); i >= 0 {
			l.game = &games[i]
		}
		if l.game != nil || complete {
			select {
			case <-t.listed: // an older list
			default:
			}
			t.listed <- l
		}
	}
}

// inPhase reports whether a game is known and in the given phase.
func (s *slots) inPhase(id string, in phase) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.table[id]
	return ok && t.phase == in
}

// has reports whether a game is known.
func (s *slots) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.table[id]
	return ok
}

// markEnded gives a finished game's slot back. The game stays in the table until its
// goroutine is done.
func (s *slots) markEnded(id string) {
	s.mu.Lock()
	if t, ok := s.table[id]; ok {
		t.phase = ended
		s.touch(t)
		s.ended = append(s.ended, id)
		s.ended = s.ended[max(0, len(s.ended)-maxEnded):]
	}
	s.mu.Unlock()
	s.onChange()
}

// release takes a game out of the table.
func (s *slots) release(id string) {
	s.mu.Lock()
	if t, ok := s.table[id]; ok && t.phase != ended {
		s.touch(t)
	}
	s.remove(id)
	s.mu.Unlock()
	s.onChange()
}

// remove takes a game out of the table, and tells who waits for the last one
// with a clock.
func (s *slots) remove(id string) {
	delete(s.table, id)
	if s.clocksDone != nil && !s.anyClock() {
		close(s.clocksDone)
		s.clocksDone = nil
	}
}

// clocksIdle returns a channel that is closed when no game with a clock is left.
// Nothing new may be taken any more.
func (s *slots) clocksIdle() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	idle := make(chan struct{})
	if s.anyClock() {
		s.clocksDone = idle
	} else {
		close(idle)
	}
	return idle
}

// clockRuns reports whether a game with a clock is on.
func (s *slots) clockRuns() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.anyClock()
}

func (s *slots) anyClock() bool {
	for _, t := range s.table {
		if t.clock {
			return true
		}
	}
	return false
}

// deliverFinal hands the server's word on a game's end, with its rating changes, to
// the game's goroutine.
func (s *slots) deliverFinal(g *lichess.Game) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.table[g.ID]; ok {
		select {
		case t.final <- g:
		default: // has it already
		}
		if t.unpark != nil {
			t.unpark()
		}
	}
}

// final returns the channel that finish sends to, nil for an unknown game.
func (s *slots) final(id string) <-chan *lichess.Game {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.table[id]; ok {
		return t.final
	}
	return nil
}

// unfinished returns the games that are live or may be, sorted by id.
func (s *slots) unfinished() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := []string{}
	for id, t := range s.table {
		if t.phase != ended && !t.outgoing {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
