package game

import (
	"slices"
	"time"

	"github.com/zhbot/zhbot/bot/record"
)

// Info describes a game to the registry.
type Info struct {
	Opponent string // id; empty if unknown
	Bot      bool   // the opponent is one
	Clock    bool   // the game has a clock, so draining waits for it
	Arena    string // id of the arena it belongs to; empty for none
}

// phase is how far a game has come. Its transitions, by change; any other does nothing:
//
//	phase      begun    lost       unlisted  over   reopened  done
//	offered    playing                                        gone
//	accepting  playing                                        gone
//	playing             abandoned            ended            gone
//	abandoned  playing             ended
//	ended                                           playing   gone
type phase int

const (
	offered   phase = iota // it may start, if a challenge of ours is accepted or an arena pairs us
	accepting              // it is about to start: we are accepting a challenge
	playing                // its goroutine plays it
	abandoned              // it may be in progress on the server, but cannot be followed
	ended                  // it is over and not counted; its record is being completed
	gone                   // it is no longer in the registry
)

// change is what happens to a game.
type change int

const (
	begun    change = iota // the server runs it
	lost                   // its stream cannot be read
	unlisted               // it is not in progress any more
	over                   // its stream has shown the end
	reopened               // its stream shows it in progress after all
	done                   // nothing is left to do: it was released, or its goroutine is done
)

// next returns the phase after a change, and whether it is another one.
func (p phase) next(c change) (phase, bool) {
	switch {
	case c == begun && (p == offered || p == accepting || p == abandoned), c == reopened && p == ended:
		return playing, true
	case c == lost && p == playing:
		return abandoned, true
	case c == over && p == playing, c == unlisted && p == abandoned:
		return ended, true
	case c == done && p != abandoned && p != gone:
		return gone, true
	}
	return p, false
}

// Entry is a game in the registry, or a slot reserved for one. Its holder releases it if
// the game does not start. Its fields but the inbox are guarded by the registry's lock.
type Entry struct {
	registry *Registry
	id       string // of the game, which is its challenge's; empty until it is bound
	info     Info
	phase    phase

	abandonedAt time.Time            // if it is
	journal     *record.JournalState // of an earlier run, to be completed; nil if the game is in progress

	inbox
}

// Bind sets the game's id. If the game has already begun, it has its own entry, or is
// over, and this one is released.
func (e *Entry) Bind(id string) {
	r := e.registry
	r.change(func() {
		if r.find(id) != nil || slices.Contains(r.ended, id) {
			e.advance(done)
		} else {
			e.id = id
		}
	})
}

// IsHeld reports whether the slot is still reserved: neither released nor taken by
// its game.
func (e *Entry) IsHeld() bool {
	e.registry.mu.Lock()
	defer e.registry.mu.Unlock()
	return e.isHeld()
}

func (e *Entry) isHeld() bool { return e.phase == offered || e.phase == accepting }

// Release releases the slot, and reports whether it did: a game that has begun keeps
// its slot.
func (e *Entry) Release() (released bool) {
	e.registry.change(func() { released = e.isHeld() && e.advance(done) })
	return released
}

// describe describes the game as its stream does.
func (e *Entry) describe(i Info) {
	e.registry.mu.Lock()
	defer e.registry.mu.Unlock()
	e.info = i
}

// update makes a change that the game's stream shows: over, or reopened.
func (e *Entry) update(c change) { e.registry.change(func() { e.advance(c) }) }

// isOver reports whether the game is over, as far as is known.
func (e *Entry) isOver() bool {
	e.registry.mu.Lock()
	defer e.registry.mu.Unlock()
	return e.phase == ended || e.journal != nil
}

// isUnfinished reports whether the game is in progress or about to start. The caller holds
// the lock.
func (e *Entry) isUnfinished() bool {
	return e.phase == accepting || e.phase == playing || e.phase == abandoned
}

// advance makes a change, and reports whether the phase is another one. The caller holds
// the lock.
func (e *Entry) advance(c change) (changed bool) {
	r := e.registry
	busy := e.info.Clock && e.isUnfinished()
	if c == reopened {
		e.journal = nil
	}
	if c == over && e.phase != gone && !slices.Contains(r.ended, e.id) { // the list may have shown its end before
		r.ended = append(r.ended, e.id)
		r.ended = r.ended[max(0, len(r.ended)-maxEnded):]
	}
	if e.phase, changed = e.phase.next(c); !changed {
		return false
	}
	if busy {
		r.lastBusy = time.Now()
	}
	switch e.phase {
	case abandoned:
		e.abandonedAt = time.Now()
	case gone:
		r.entries = slices.DeleteFunc(r.entries, func(other *Entry) bool { return other == e })
		close(e.forgotten)
	}
	return true
}
