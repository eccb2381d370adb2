package bot

import (
	"errors"
	"sync"
)

// SlotLimits bound the games at once.
type SlotLimits struct {
	Max               int // games, pending ones included
	ReservedForHumans int // of these, closed to bots
	MaxPerOpponent    int // 0 for no bound
}

// The reasons why there is no slot.
var (
	errFull        = errors.New("games.max reached")
	errReserved    = errors.New("the free slots are reserved for humans")
	errPerOpponent = errors.New("games.max_per_opponent reached")
	errDraining    = errors.New("shutting down")
)

// slots is the table of games that are on or may start any moment. All
// decisions about room are made here, under one lock.
type slots struct {
	mu     sync.Mutex
	limits SlotLimits
	taken  map[string]slot // by game id, which is the challenge's
	closed bool            // draining: nothing new
}

type slot struct {
	opponent string
	bot      bool
	live     bool // the server has started the game
}

func newSlots(l SlotLimits) *slots { return &slots{limits: l, taken: map[string]slot{}} }

// take reserves a slot for a game that may start under this id.
func (s *slots) take(id, opponent string, bot bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	games, bots, same := 0, 0, 0
	for other, t := range s.taken {
		if other == id {
			return nil
		}
		games++
		if t.bot {
			bots++
		}
		if t.opponent == opponent {
			same++
		}
	}
	switch {
	case s.closed:
		return errDraining
	case games >= s.limits.Max:
		return errFull
	case bot && bots >= s.limits.Max-s.limits.ReservedForHumans:
		return errReserved
	case s.limits.MaxPerOpponent > 0 && same >= s.limits.MaxPerOpponent:
		return errPerOpponent
	}
	s.taken[id] = slot{opponent: opponent, bot: bot}
	return nil
}

// start marks a game as running. The server has decided: there is a slot even
// beyond the limits, and also while draining.
func (s *slots) start(id, opponent string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.taken[id]
	if !ok {
		t.opponent = opponent
	}
	t.live = true
	s.taken[id] = t
}

// free ends a slot.
func (s *slots) free(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.taken, id)
}

// release ends a slot whose game has not started, and reports whether it had
// one.
func (s *slots) release(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.taken[id]
	if !ok || t.live {
		return false
	}
	delete(s.taken, id)
	return true
}

// started reports whether the game of a slot is running or over.
func (s *slots) started(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.taken[id]
	return !ok || t.live
}

// close lets nothing new in.
func (s *slots) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// resize changes the limits; games beyond them go on.
func (s *slots) resize(l SlotLimits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits = l
}

// count returns how many games are on or pending.
func (s *slots) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.taken)
}
