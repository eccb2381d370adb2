package game

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
)

// inbox is where the goroutine that plays a game finds what the account's streams and
// lists say of it, in channels of capacity 1, and the operator's commands.
type inbox struct {
	final    chan *lichess.Game // its final event
	listed   chan listing       // the newest listing
	commands chan order         // unbuffered

	view      atomic.Pointer[event.GameView] // the newest; nil before the first
	forgotten chan struct{}                  // closed when the registry no longer has the game
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

// Listed passes the list of games in progress as of a time to the games, and if it is
// complete, also to those that it lacks. It returns the abandoned ones among these: they
// have ended, and nobody completes their records yet.
func (r *Registry) Listed(list []lichess.Game, asked time.Time, complete bool) []*Entry {
	over := r.deliver(list, asked, complete)
	if len(over) > 0 {
		r.change(func() {}) // their slots are free
	}
	return over
}

// deliver does what [Registry.Listed] does under the lock.
func (r *Registry) deliver(list []lichess.Game, asked time.Time, complete bool) (over []*Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.entries {
		l := listing{asked: asked}
		if i := slices.IndexFunc(list, func(g lichess.Game) bool { return g.ID == e.id }); i >= 0 {
			l.game = &list[i]
		}
		switch {
		case l.game == nil && !complete:
		case e.phase == playing, e.phase == ended:
			e.deliver(l)
		case l.game == nil && e.phase == abandoned && e.abandonedAt.Before(asked) && e.advance(unlisted):
			over = append(over, e)
		}
	}
	return over
}

// Views returns the games that are played as they were last seen, by id.
func (r *Registry) Views() (list []event.GameView) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.entries {
		if v := e.view.Load(); v != nil && !v.Status.Over() && e.phase == playing {
			list = append(list, *v)
		}
	}
	slices.SortFunc(list, func(a, b event.GameView) int { return strings.Compare(a.ID, b.ID) })
	return list
}
