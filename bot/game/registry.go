package game

import (
	"errors"
	"slices"
	"sync"
	"time"
)

// Limits bound the number of games, including those about to start.
type Limits struct {
	Max               int // games in all
	ReservedForHumans int // of these, closed to bots
	MaxPerOpponent    int // 0 for no bound
}

// The reasons why no slot is available. Each text names the setting that decides, if
// there is one.
var (
	ErrDraining    = errors.New("shutting down")
	ErrKnown       = errors.New("the game has a slot")
	errFull        = errors.New("games.max reached")
	errReserved    = errors.New("games.reserved_for_humans: the free slots are not for bots")
	errPerOpponent = errors.New("games.max_per_opponent reached")
	errNotReady    = errors.New("still starting: the games in progress are not loaded yet, or an engine program is not ready")
)

// Info describes the game that a slot is for.
type Info struct {
	Opponent string // id; empty if unknown
	Bot      bool   // the opponent is one
	Clock    bool   // the game has a clock, so draining waits for it
	Arena    string // id of the arena it belongs to; empty for none
}

// slotPhase is how far the game of a slot has come.
type slotPhase int

const (
	offered   slotPhase = iota // it may start, but nobody plays it yet
	starting                   // it is about to start; the holder of the reservation plays it
	abandoned                  // it may be in progress on the server, but nobody plays it any more
	live                       // it is in progress on the server
	ended                      // it is over and not counted; its goroutine is not done
)

// slot is a place for a game. Its fields belong to the table.
type slot struct {
	Info
	id    string // of the game, which is its challenge's; empty until it is bound
	phase slotPhase

	abandonedAt time.Time
}

// isUnfinished reports whether the game of a slot is in progress or about to start.
func (s *slot) isUnfinished() bool { return s.phase > offered && s.phase < ended }

// maxEnded is how many ended games are remembered, so that a late event does not
// start them again.
const maxEnded = 256

// Registry holds the games in progress or about to start, and limits their number: a slot
// is reserved before anything is sent that may start a game, bound to the game when its id
// is known, and released if the game does not start ([Reservation]). A game that the
// server already runs gets a slot in any case ([Registry.Register]), and keeps it while
// nobody plays it ([Registry.Abandon]). Capacity is decided here only, under one lock. The
// registry is safe for concurrent use.
type Registry struct {
	mu       sync.Mutex
	limits   Limits
	slots    []*slot
	ended    []string  // ids of ended games, newest last
	lastBusy time.Time // when a game with a clock was last in progress
	closed   error     // why no slot is reserved; nil if open
	onChange func()    // called without the lock when a slot may be free
}

// NewRegistry returns an empty registry that reserves nothing until it is opened. onChange is
// called whenever a slot may be free.
func NewRegistry(l Limits, onChange func()) *Registry {
	return &Registry{limits: l, closed: errNotReady, onChange: onChange, lastBusy: time.Now()}
}

// Open allows reservations, unless the table is closed.
func (t *Registry) Open() {
	t.change(func() {
		if errors.Is(t.closed, errNotReady) {
			t.closed = nil
		}
	})
}

// change makes a change that may free a slot.
func (t *Registry) change(apply func()) {
	t.mu.Lock()
	apply()
	t.mu.Unlock()
	t.onChange()
}

// Close refuses all further reservations, with ErrDraining.
func (t *Registry) Close() { t.change(func() { t.closed = ErrDraining }) }

// Resize changes the limits. Games beyond them continue.
func (t *Registry) Resize(l Limits) { t.change(func() { t.limits = l }) }

// find returns a game's slot, nil if it has none. The caller holds the lock.
func (t *Registry) find(id string) *slot {
	if i := slices.IndexFunc(t.slots, func(s *slot) bool { return s.id == id }); id != "" && i >= 0 {
		return t.slots[i]
	}
	return nil
}

// checkCapacity returns why there is no slot for a game, or nil. The caller holds
// the lock.
func (t *Registry) checkCapacity(g Info) error {
	same := func(s *slot) bool { return s.phase != ended && g.Opponent != "" && s.Opponent == g.Opponent }
	switch u := t.use(); {
	case t.closed != nil:
		return t.closed
	case u.Games >= u.Max:
		return errFull
	case g.Bot && u.Bots >= u.Max-u.ReservedForHumans:
		return errReserved
	case u.MaxPerOpponent > 0 && t.count(same) >= u.MaxPerOpponent:
		return errPerOpponent
	}
	return nil
}

// Register gives a slot to a game in progress, even beyond the limits: the one that was
// reserved for it, if there is one. It reports whether the caller has to play the game:
// nobody else does, and it is not known to be over.
func (t *Registry) Register(id string, g Info) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.find(id); s != nil {
		unplayed := s.phase == offered || s.phase == abandoned
		s.phase = max(s.phase, live)
		return unplayed
	}
	if slices.Contains(t.ended, id) {
		return false
	}
	if s := t.reservedFor(g.Arena); s != nil {
		s.Info, s.id, s.phase = g, id, live
	} else {
		t.slots = append(t.slots, &slot{Info: g, id: id, phase: live})
	}
	return true
}

// reservedFor returns the slot that is reserved for an arena's next game, nil if
// there is none. The caller holds the lock.
func (t *Registry) reservedFor(arena string) *slot {
	i := slices.IndexFunc(t.slots, func(s *slot) bool { return s.Arena == arena && s.phase == offered })
	if arena == "" || i < 0 {
		return nil
	}
	return t.slots[i]
}

// Update describes a game in progress as its own stream does.
func (t *Registry) Update(id string, g Info) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.find(id); s != nil {
		s.Info, s.phase = g, max(s.phase, live)
	}
}

// MarkEnded releases a finished game's capacity. The game stays in the table until
// it is released.
func (t *Registry) MarkEnded(id string) {
	t.change(func() {
		if s := t.find(id); s != nil {
			t.end(s)
			t.ended = append(t.ended, id)
			t.ended = t.ended[max(0, len(t.ended)-maxEnded):]
		}
	})
}

// Release removes a game from the table.
func (t *Registry) Release(id string) {
	t.change(func() {
		if s := t.find(id); s != nil {
			t.remove(s)
		}
	})
}

// Abandon records that nobody plays a game any more although the server may still run it,
// and reports whether it did so: a game that is over is unchanged. The game keeps its
// slot until somebody registers it again, or [Registry.EndAbandoned].
func (t *Registry) Abandon(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.find(id)
	if s == nil || s.phase == ended {
		return false
	}
	s.phase, s.abandonedAt = abandoned, time.Now()
	return true
}

// EndAbandoned releases the capacity of an abandoned game that the server did not run
// when it was asked, and reports whether it did. The game stays in the table until it is
// released.
func (t *Registry) EndAbandoned(id string, asked time.Time) (done bool) {
	t.change(func() {
		s := t.find(id)
		if done = s != nil && s.phase == abandoned && s.abandonedAt.Before(asked); done {
			t.end(s)
		}
	})
	return done
}

// Revive makes a game count again that has ended according to a list of games, but is in
// progress.
func (t *Registry) Revive(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.find(id); s != nil && s.phase == ended {
		s.phase = live
	}
}

// touch updates the time of the last activity, for a slot that counts as activity.
// The caller holds the lock.
func (t *Registry) touch(s *slot) {
	if s.Clock && s.isUnfinished() {
		t.lastBusy = time.Now()
	}
}

// end releases the capacity of a slot. The caller holds the lock.
func (t *Registry) end(s *slot) {
	t.touch(s)
	s.phase = ended
}

// remove removes a slot. The caller holds the lock.
func (t *Registry) remove(s *slot) {
	t.touch(s)
	t.slots = slices.DeleteFunc(t.slots, func(other *slot) bool { return other == s })
}
