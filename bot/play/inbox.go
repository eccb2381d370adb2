package play

import (
	"slices"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// inbox is where the goroutine that plays a game finds what the account's streams and
// lists say of it. Its channels have capacity 1.
type inbox struct {
	final  chan *lichess.Game // its final event
	listed chan listing       // the newest listing
}

// listing is a game's entry in the list of games in progress, or its end.
type listing struct {
	game  *lichess.Game // nil if a complete list lacks it
	asked time.Time     // when the list was asked for
	ended bool          // the final event is there; game is nil
}

// deliver delivers a listing in place of an older one. There is one sender at a time.
func (i *inbox) deliver(l listing) {
	select {
	case <-i.listed:
	default:
	}
	i.listed <- l
}

// inbox returns a game's inbox, a new one if there is none. The caller holds the
// lock.
func (p *Games) inbox(id string) *inbox {
	i := p.inboxes[id]
	if i == nil {
		i = &inbox{final: make(chan *lichess.Game, 1), listed: make(chan listing, 1)}
		p.inboxes[id] = i
	}
	return i
}

// Forget forgets a game whose slot has been released.
func (p *Games) Forget(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.inboxes, id)
}

// DeliverFinal passes on a game's final event, with its rating changes, to a game that
// has a slot. Its goroutine may not have started yet.
func (p *Games) DeliverFinal(final *lichess.Game) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.o.Slots.Has(final.ID) {
		return
	}
	i := p.inbox(final.ID)
	select {
	case i.final <- final:
	default: // already sent
	}
	i.deliver(listing{asked: time.Now(), ended: true})
}

// DeliverListings passes on the list of games in progress, which was asked for at a
// time; if it is complete, also to the games that it lacks.
func (p *Games) DeliverListings(list []lichess.Game, asked time.Time, complete bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, inbox := range p.inboxes {
		if !p.o.Slots.IsLive(id) {
			continue
		}
		l := listing{asked: asked}
		if i := slices.IndexFunc(list, func(g lichess.Game) bool { return g.ID == id }); i >= 0 {
			l.game = &list[i]
		}
		if l.game != nil || complete {
			inbox.deliver(l)
		}
	}
}
