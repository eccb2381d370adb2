package game

import (
	"slices"
	"time"

	"github.com/zhbot/zhbot/config"
)

// Has reports whether a game has a slot.
func (r *Registry) Has(id string) bool {
	return id != "" && r.contains(func(e *Entry) bool { return e.id == id })
}

// HasBegun reports whether a game with a slot has begun. It may be over.
func (r *Registry) HasBegun(id string) bool {
	return r.contains(func(e *Entry) bool { return e.id == id && !e.isHeld() })
}

// InArena reports whether a game of an arena is in progress.
func (r *Registry) InArena(id string) bool {
	return r.contains(func(e *Entry) bool { return e.info.Arena == id && (e.phase == playing || e.phase == abandoned) })
}

// AnyClock reports whether a game with a clock has a slot.
func (r *Registry) AnyClock() bool { return r.contains(func(e *Entry) bool { return e.info.Clock }) }

func (r *Registry) contains(match func(*Entry) bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.entries, match)
}

// GamesWith returns the ids of the games with an opponent that have a slot: about to
// start, in progress, or over but not released. An id that is not known yet is empty.
func (r *Registry) GamesWith(opponent string) (ids []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.entries {
		if e.info.Opponent == opponent {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// Unfinished returns the games that are in progress or about to start, sorted by id.
func (r *Registry) Unfinished() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := []string{}
	for _, e := range r.entries {
		if e.isUnfinished() {
			ids = append(ids, e.id)
		}
	}
	slices.Sort(ids)
	return ids
}

// BusyUntil returns when a game with a clock was last in progress or about to begin;
// now if there is one.
func (r *Registry) BusyUntil(now time.Time) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.ContainsFunc(r.entries, func(e *Entry) bool { return e.info.Clock && e.phase != ended }) {
		return now
	}
	return r.lastBusy
}

// Use is the current use of the slots.
type Use struct {
	Limits config.Games
	Games  int // in progress or about to start
	Bots   int // of these, against bots
	Live   int // of these, in progress on the server
}

// Use returns the current use of the slots.
func (r *Registry) Use() Use {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.use()
}

// use is Use for a caller that holds the lock.
func (r *Registry) use() Use {
	return Use{
		Limits: r.limits,
		Games:  r.count(func(e *Entry) bool { return e.phase != ended }),
		Bots:   r.count(func(e *Entry) bool { return e.phase != ended && e.info.Bot }),
		Live:   r.count(func(e *Entry) bool { return e.phase == playing || e.phase == abandoned }),
	}
}

// count counts the entries that match. The caller holds the lock.
func (r *Registry) count(match func(*Entry) bool) (n int) {
	for _, e := range r.entries {
		if match(e) {
			n++
		}
	}
	return n
}
