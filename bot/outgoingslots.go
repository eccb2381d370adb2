package bot

import "time"

// reserveOutgoing reserves a slot for a challenge of ours. Until the challenge has an id,
// another name stands for it.
func (s *slots) reserveOutgoing(name string, p participant) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.checkCapacity(p); err != nil {
		return err
	}
	t := newSlot(p, pending)
	t.outgoing = true
	s.table[name] = t
	return nil
}

// bind gives a challenge of ours its id. When its game has begun already, the
// game has a slot, and the other one is given back.
func (s *slots) bind(name, id string) {
	s.mu.Lock()
	t := s.table[name]
	_, begun := s.table[id]
	s.remove(name)
	if !begun {
		s.table[id] = t
	}
	s.mu.Unlock()
	s.onChange()
}

// releaseOutgoing gives the slot of a challenge of ours back, and reports whether it
// did: when the game has begun, it keeps its slot.
func (s *slots) releaseOutgoing(id string) bool {
	s.mu.Lock()
	t, ok := s.table[id]
	ok = ok && t.outgoing
	if ok {
		s.remove(id)
	}
	s.mu.Unlock()
	s.onChange()
	return ok
}

// touch notes that a game is or was on, unless it needs no attention.
func (s *slots) touch(t *slot) {
	if t.clock && !t.outgoing {
		s.lastBusy = time.Now()
	}
}

// busyUntil returns when a game with a clock was last on or about to begin: now,
// if one is.
func (s *slots) busyUntil(now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.table {
		if t.clock && t.phase != ended {
			return now
		}
	}
	return s.lastBusy
}

// isReserved reports whether a slot is held under a name that stands for no game yet.
func (s *slots) isReserved(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.table[name]
	return ok && t.outgoing
}

// inArena reports whether a game of an arena is on.
func (s *slots) inArena(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.table {
		if t.arena == id && t.phase != ended {
			return true
		}
	}
	return false
}
