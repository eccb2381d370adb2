package bot

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// SlotLimits bound the number of games, including those about to start.
type SlotLimits struct {
	Max               int // games in all
	ReservedForHumans int // of these, closed to bots
	MaxPerOpponent    int // 0 for no bound
}

// Why no slot is available.
var (
	errFull        = errors.New("games.max reached")
	errReserved    = errors.New("games.reserved_for_humans: the free slots are not for bots")
	errPerOpponent = errors.New("games.max_per_opponent reached")
	errNotReady    = errors.New("the games in progress are not loaded yet")
	errDraining    = errors.New("shutting down")
	errKnown       = errors.New("the game has a slot")
)

// participant describes the game that a slot is for.
type participant struct {
	opponent string // id; may be empty
	bot      bool
	clock    bool   // the game has a clock, so draining waits for it
	arena    string // id of the arena it belongs to; empty for none
}

// phase is the phase of a slot's game.
type phase int

const (
	pending phase = iota // about to start
	live                 // in progress on the server
	ended                // over, not counted; its goroutine is not done
)

type slot struct {
	participant
	outgoing bool // for an outgoing challenge, whose game is not played yet
	phase    phase
	final    chan *lichess.Game // receives the game's final event; buffered
	listed   chan listing       // receives the game's listings; capacity 1, nil until attached
	unpark   func()             // reads the game again if it is parked
}

func newSlot(p participant, in phase) *slot {
	return &slot{participant: p, phase: in, final: make(chan *lichess.Game, 1)}
}

// maxEnded is how many ended games are remembered, so that a late event does not
// start them again.
const maxEnded = 256

// slots is the table of games in progress or about to start. Capacity is decided
// here only, under one lock.
type slots struct {
	mu         sync.Mutex
	limits     SlotLimits
	table      map[string]*slot // by game id, which is the challenge's
	ended      []string         // ids of ended games, newest last
	lastBusy   time.Time        // when a game with a clock was last in progress
	closed     error            // why no slot is reserved; nil if open
	clocksDone chan struct{}    // closed when the last game with a clock is removed; nil without a waiter
	onChange   func()           // called without the lock when a slot may be free
}

// newSlots returns an empty table that reserves nothing until it is opened.
func newSlots(l SlotLimits, onChange func()) *slots {
	return &slots{limits: l, table: make(map[string]*slot), closed: errNotReady, onChange: onChange, lastBusy: time.Now()}
}

// open allows reservations, unless the bot is draining.
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

// close refuses all further reservations.
func (s *slots) close() {
	s.mu.Lock()
	s.closed = errDraining
	s.mu.Unlock()
	s.onChange()
}

// resize changes the limits. Games beyond them continue.
func (s *slots) resize(l SlotLimits) {
	s.mu.Lock()
	s.limits = l
	s.mu.Unlock()
	s.onChange()
}

// reserve reserves a slot for a game that may start, or returns why there is none.
// It fails with errKnown for a game that has one.
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

// checkCapacity returns why there is no slot for a participant, or nil.
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

// gamesWith returns the games with an opponent that are in the table: about to
// start, in progress, or over but not recorded yet.
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

// register gives a slot to a game in progress, even beyond the limits. It reports
// whether the game is new, so that the caller has to play it.
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
		delete(s.table, arenaSlot(p.arena)) // was reserved for this game
	}
	s.table[id] = newSlot(p, live)
	return true
}

// setParticipant updates a slot from the game's own stream.
func (s *slots) setParticipant(id string, p participant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.table[id]; ok {
		t.participant, t.phase = p, max(t.phase, live)
	}
}

// attachGame sets the channel for a game's listings, and the function that unparks
// it.
func (s *slots) attachGame(id string, listed chan listing, wake func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.table[id]; ok {
		t.listed, t.unpark = listed, wake
	}
}

// deliverListings sends the live games their listings; if the list is complete, also
// to those that it lacks.
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
			case <-t.listed: // drop an older one
			default:
			}
			t.listed <- l
		}
	}
}

// inPhase reports whether a game has a slot in the given phase.
func (s *slots) inPhase(id string, in phase) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.table[id]
	return ok && t.phase == in
}

// has reports whether a game has a slot.
func (s *slots) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.table[id]
	return ok
}

// markEnded releases a finished game's capacity. The game stays in the table until
// its goroutine is done.
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

// release removes a game from the table.
func (s *slots) release(id string) {
	s.mu.Lock()
	if t, ok := s.table[id]; ok && t.phase != ended {
		s.touch(t)
	}
	s.remove(id)
	s.mu.Unlock()
	s.onChange()
}

// remove removes a game from the table, and closes clocksDone if it was the last one
// with a clock. The caller holds the lock.
func (s *slots) remove(id string) {
	delete(s.table, id)
	if s.clocksDone != nil && !s.anyClock() {
		close(s.clocksDone)
		s.clocksDone = nil
	}
}

// clocksIdle returns a channel that is closed when no game with a clock is left. The
// table must be closed to reservations.
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

// clockRuns reports whether there is a game with a clock.
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

// deliverFinal sends a game's final event, with its rating changes, to the game's
// goroutine.
func (s *slots) deliverFinal(g *lichess.Game) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.table[g.ID]; ok {
		select {
		case t.final <- g:
		default: // already sent
		}
		if t.unpark != nil {
			t.unpark()
		}
	}
}

// final returns the channel that deliverFinal sends to, nil for an unknown game.
func (s *slots) final(id string) <-chan *lichess.Game {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.table[id]; ok {
		return t.final
	}
	return nil
}

// unfinished returns the games that are in progress or about to start, sorted by id.
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
