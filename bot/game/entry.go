package game

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// Info describes a game to the registry.
type Info struct {
	Opponent string // id; empty if unknown
	Bot      bool   // the opponent is one
	Clock    bool   // the game has a clock, so draining waits for it
	Arena    string // id of the arena it belongs to; empty for none

	announced bool // only the event stream has shown it
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

// Entry is a game in the registry, or a slot reserved for one. Its holder releases it if the game
// does not start. The registry's lock guards its fields, except the inbox, and concluded, which
// belongs to the game's goroutine once that runs. That goroutine alone then changes completing and
// unknown, and may read them without the lock.
type Entry struct {
	registry *Registry
	id       string // of the game, which is its challenge's; empty until it is bound
	info     Info
	phase    phase

	abandonedAt time.Time // when its stream was given up; zero before
	completing  bool      // it has ended unseen; its goroutine only completes the record
	concluded   bool      // its end is recorded, but a newer list has it; false once its stream shows it goes on
	unknown     bool      // it was abandoned because the server did not know it

	inbox
}

// Bind sets the game's id. If the game has already begun, it has its own entry, or is
// over, and this one is released.
func (e *Entry) Bind(id string) {
	r := e.registry
	r.change(func() {
		if _, concluded := r.ended[id]; concluded || r.find(id) != nil {
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
	return e.phase == ended || e.completing
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
		e.completing = false
	}
	if c == over && e.phase != gone {
		r.ended[e.id] = time.Now()
		maps.DeleteFunc(r.ended, func(_ string, at time.Time) bool { return time.Since(at) > endedMemory })
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

// inbox is where the goroutine that plays a game finds what the account's streams and
// lists say of it, in channels of capacity 1, and the operator's commands.
type inbox struct {
	final    chan *lichess.Game // its final event
	listed   chan listing       // the newest listing
	commands chan order         // unbuffered

	view      atomic.Pointer[event.GameView] // the newest; nil before the first
	search    atomic.Pointer[event.Search]
	searches  atomic.Int32  // for our move, in progress; a cancelled one may still end
	forgotten chan struct{} // closed when the registry no longer has the game
}

// listing is a game's entry in the list of games in progress, or its end.
type listing struct {
	game  *lichess.Game // nil if a complete list lacks it
	asked time.Time     // when the list was asked for
	ended bool          // the final event is there; game is nil
}

// deliver delivers a listing in place of an older one. The caller holds the registry's
// lock.
func (i *inbox) deliver(l listing) {
	select {
	case <-i.listed:
	default:
	}
	i.listed <- l
}

// Final passes a game's final event, with its rating changes, to its goroutine.
func (r *Registry) Final(final *lichess.Game) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.find(final.ID)
	if e == nil {
		return
	}
	select {
	case e.final <- final:
	default: // already sent
	}
	e.deliver(listing{asked: time.Now(), ended: true})
}

// Listed passes a list of games in progress to the games, and if it is complete, also to those
// that it lacks. It returns the abandoned ones among these: they have ended, and nobody
// completes their records yet.
func (r *Registry) Listed(list *lichess.GameList) []*Entry {
	over := r.deliver(list)
	if len(over) > 0 {
		r.change(func() {}) // their slots are free
	}
	return over
}

// deliver does what [Registry.Listed] does under the lock.
func (r *Registry) deliver(list *lichess.GameList) (over []*Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.entries {
		l := listing{game: list.Find(e.id), asked: list.RequestedAt}
		switch {
		case l.game == nil && !list.Complete:
		case e.phase == playing, e.phase == ended:
			e.deliver(l)
		case l.game == nil && e.phase == abandoned && e.abandonedAt.Before(l.asked) && e.advance(unlisted):
			over = append(over, e)
		}
	}
	return over
}

// showSearch shows a result of the search for a move, unless it is empty.
func (i *inbox) showSearch(board *rules.Game, info engine.Info) {
	if info.Depth > 0 {
		i.search.Store(&event.Search{Board: board, Info: info})
	}
}

// Views returns the games that this run plays, or whose end it records, as they were last
// seen, by id.
func (r *Registry) Views() (list []event.GameView) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.entries {
		if v := e.view.Load(); v != nil && (e.phase == playing || e.phase == ended && !e.completing) {
			now := *v
			now.Searching, now.Search = e.searches.Load() > 0, e.search.Load()
			list = append(list, now)
		}
	}
	slices.SortFunc(list, func(a, b event.GameView) int { return strings.Compare(a.ID, b.ID) })
	return list
}
