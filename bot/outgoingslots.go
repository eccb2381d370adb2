package bot

import "time"

// reserveOutgoing reserves a slot for an outgoing challenge, under a placeholder
// until its id is known.
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

// bind replaces the placeholder of an outgoing challenge by its id. If its game has
// already begun, the game has a slot and the other one is released.
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

// releaseOutgoing releases the slot of an outgoing challenge, and reports whether it
// did: a game that has begun keeps its slot.
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

// touch updates the time of the last activity, for a slot that counts as activity.
func (s *slots) touch(t *slot) {
	if t.clock && !t.outgoing {
		s.lastBusy = time.Now()
	}
}

// busyUntil returns when a game with a clock was last in progress or about to begin;
// now if there is one.
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

// isReserved reports whether a slot is reserved under a placeholder.
func (s *slots) isReserved(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.table[name]
	return ok && t.outgoing
}

// inArena reports whether a game of an arena is in progress.
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
