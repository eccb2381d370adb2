package game

import "slices"

// Reservation is a slot for a game that may start. Its holder releases it if the
// game does not.
type Reservation struct {
	table *Registry
	slot  *slot
}

// Reserve reserves a slot for a game whose id is not known yet: from a challenge of ours,
// or the next game of an arena. The caller that registers the game plays it. Without a
// free slot it returns the reason.
func (t *Registry) Reserve(g Info) (*Reservation, error) {
	return t.reserve(&slot{Info: g, phase: offered})
}

// ReserveFor reserves a slot for the game of a challenge that is to be accepted. The
// holder plays it. Without a free slot it returns the reason; for a game that already has
// one, ErrKnown.
func (t *Registry) ReserveFor(id string, g Info) (*Reservation, error) {
	return t.reserve(&slot{Info: g, id: id, phase: starting})
}

func (t *Registry) reserve(s *slot) (*Reservation, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.find(s.id) != nil {
		return nil, ErrKnown
	}
	if err := t.checkCapacity(s.Info); err != nil {
		return nil, err
	}
	t.slots = append(t.slots, s)
	return &Reservation{t, s}, nil
}

// Bind sets the game's id. If the game has already begun, it has its own slot, or is
// over, and this one is released.
func (r *Reservation) Bind(id string) {
	r.table.change(func() {
		if r.table.find(id) != nil || slices.Contains(r.table.ended, id) {
			r.table.remove(r.slot)
		} else {
			r.slot.id = id
		}
	})
}

// IsHeld reports whether the slot is still reserved: neither released nor taken by
// its game.
func (r *Reservation) IsHeld() bool {
	r.table.mu.Lock()
	defer r.table.mu.Unlock()
	return r.isHeld()
}

func (r *Reservation) isHeld() bool {
	return r.slot.phase < abandoned && slices.Contains(r.table.slots, r.slot)
}

// Release releases the slot, and reports whether it did: a game that has begun keeps
// its slot.
func (r *Reservation) Release() (released bool) {
	r.table.change(func() {
		if released = r.isHeld(); released {
			r.table.remove(r.slot)
		}
	})
	return released
}
