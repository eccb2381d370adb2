package play

import (
	"slices"
	"sync"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// runningGames passes on what the account's streams and lists say of a game to the
// goroutine that plays it.
type runningGames struct {
	slots Slots

	mu    sync.Mutex
	games map[string]*runningGame // by id
}

// runningGame is where news of a game goes.
type runningGame struct {
	final  chan *lichess.Game // its final event; capacity 1
	listed chan listing       // its listings; capacity 1, nil until attached
	unpark func()             // reads the game again if it is parked; nil until attached
}

// game returns a game's entry, a new one if there is none. The caller holds the
// lock.
func (r *runningGames) game(id string) *runningGame {
	g := r.games[id]
	if g == nil {
		g = &runningGame{final: make(chan *lichess.Game, 1)}
		r.games[id] = g
	}
	return g
}

// attach sets the channel for a game's listings, and the function that unparks it.
// Both are replaced when the game is resumed after a panic.
func (r *runningGames) attach(id string, listed chan listing, unpark func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	g := r.game(id)
	g.listed, g.unpark = listed, unpark
}

// Forget forgets a game whose slot has been released.
func (p *Games) Forget(id string) {
	r := &p.running
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.games, id)
}

// final returns the channel that receives the final event.
func (r *runningGames) final(id string) <-chan *lichess.Game {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.game(id).final
}

// DeliverFinal passes on a game's final event, with its rating changes, to a game that
// has a slot. Its goroutine may not have started yet.
func (p *Games) DeliverFinal(final *lichess.Game) {
	r := &p.running
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.slots.Has(final.ID) {
		return
	}
	g := r.game(final.ID)
	select {
	case g.final <- final:
	default: // already sent
	}
	if g.unpark != nil {
		g.unpark()
	}
}

// DeliverListings passes on the list of games in progress, which was asked for at a
// time; if it is complete, also to the games that it lacks.
func (p *Games) DeliverListings(list []lichess.Game, asked time.Time, complete bool) {
	r := &p.running
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, g := range r.games {
		if g.listed == nil || !r.slots.IsLive(id) {
			continue
		}
		l := listing{asked: asked}
		if i := slices.IndexFunc(list, func(g lichess.Game) bool { return g.ID == id }); i >= 0 {
			l.game = &list[i]
		}
		if l.game != nil || complete {
			select {
			case <-g.listed: // drop an older one
			default:
			}
			g.listed <- l
		}
	}
}

// Unpark reads a parked game again.
func (p *Games) Unpark(id string) {
	r := &p.running
	r.mu.Lock()
	defer r.mu.Unlock()
	if g := r.games[id]; g != nil && g.unpark != nil {
		g.unpark()
	}
}
