package game

import (
	"errors"
	"slices"
	"time"
)

// IsClosed reports whether the table refuses all reservations because the bot drains.
func (t *Registry) IsClosed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return errors.Is(t.closed, ErrDraining)
}

// Has reports whether a game has a slot.
func (t *Registry) Has(id string) bool {
	return id != "" && t.contains(func(s *slot) bool { return s.id == id })
}

// IsLive reports whether a game is in progress on the server and played.
func (t *Registry) IsLive(id string) bool {
	return t.contains(func(s *slot) bool { return s.id == id && s.phase == live })
}

// IsAbandoned reports whether a game may be in progress on the server, but nobody plays it.
func (t *Registry) IsAbandoned(id string) bool {
	return t.contains(func(s *slot) bool { return s.id == id && s.phase == abandoned })
}

// HasEnded reports whether a game with a slot is over.
func (t *Registry) HasEnded(id string) bool {
	return t.contains(func(s *slot) bool { return s.id == id && s.phase == ended })
}

// InArena reports whether a game of an arena is in progress.
func (t *Registry) InArena(id string) bool {
	return t.contains(func(s *slot) bool { return s.Arena == id && (s.phase == live || s.phase == abandoned) })
}

// AnyClock reports whether a game with a clock has a slot.
func (t *Registry) AnyClock() bool { return t.contains(func(s *slot) bool { return s.Clock }) }

func (t *Registry) contains(match func(*slot) bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.slots, match)
}

// GamesWith returns the ids of the games with an opponent that have a slot: about to
// start, in progress, or over but not released. An id that is not known yet is empty.
func (t *Registry) GamesWith(opponent string) (ids []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.slots {
		if s.Opponent == opponent {
			ids = append(ids, s.id)
		}
	}
	return ids
}

// Unfinished returns the games that are in progress or about to start, sorted by id.
func (t *Registry) Unfinished() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	ids := []string{}
	for _, s := range t.slots {
		if s.isUnfinished() {
			ids = append(ids, s.id)
		}
	}
	slices.Sort(ids)
	return ids
}

// BusyUntil returns when a game with a clock was last in progress or about to begin;
// now if there is one.
func (t *Registry) BusyUntil(now time.Time) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	if slices.ContainsFunc(t.slots, func(s *slot) bool { return s.Clock && s.phase != ended }) {
		return now
	}
	return t.lastBusy
}

// Use is the current use of the slots.
type Use struct {
	Limits
	Games int // in progress or about to start
	Bots  int // of these, against bots
	Live  int // of these, in progress on the server
}

// Use returns the current use of the slots.
func (t *Registry) Use() Use {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.use()
}

// use is Use for a caller that holds the lock.
func (t *Registry) use() Use {
	return Use{
		Limits: t.limits,
		Games:  t.count(func(s *slot) bool { return s.phase != ended }),
		Bots:   t.count(func(s *slot) bool { return s.phase != ended && s.Bot }),
		Live:   t.count(func(s *slot) bool { return s.phase == live || s.phase == abandoned }),
	}
}

// count counts the slots that match. The caller holds the lock.
func (t *Registry) count(match func(*slot) bool) (n int) {
	for _, s := range t.slots {
		if match(s) {
			n++
		}
	}
	return n
}
