package web

import (
	"slices"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot"
)

// hub keeps the newest of what the bot tells. It is safe for concurrent use;
// its lock is held for moments only.
type hub struct {
	started time.Time

	mu         sync.Mutex
	changed    chan struct{} // closed at the next change
	account    string
	rating     int
	network    string
	draining   bool
	rival      time.Time // when another program last took our event stream
	streams    streams
	limits     limits
	meter      meter
	games      map[string]*game
	seats      []string // ids of games by their place on the page; "" is free
	slots      int      // games at once, as far as is known
	challenges challenges
	ended      int // games that ended since the start
	recorded   int // of these, that are recorded
}

func newHub() *hub {
	return &hub{
		started: time.Now(), changed: make(chan struct{}), games: map[string]*game{},
		limits: limits{until: map[string]time.Time{}},
	}
}

// observe takes in what the bot tells.
func (h *hub) observe(e bot.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch e := e.(type) {
	case bot.LoggedIn:
		h.account, h.rating, h.network = e.Account, e.Rating, e.Network
	case bot.Draining:
		h.draining = true
	case bot.SecondInstance:
		h.rival = time.Now()
	case bot.StreamOpened:
		h.streams.opened(e)
	case bot.StreamLost:
		h.streams.lost(e)
	case bot.ChallengeDecided:
		h.challenges.add(e)
	case bot.ChallengeSent:
		h.challenges.send(e)
	case bot.ChallengeClosed:
		h.challenges.settle(e)
	case bot.GameChanged:
		h.change(&e.GameView)
	case bot.GameEnded:
		h.end(e)
	case bot.GameAbandoned:
		h.drop(e.Game)
	case bot.Searching:
		h.search(e.Game, search{board: e.Board, info: e.Info, on: true})
	case bot.Searched:
		h.search(e.Game, search{board: e.Board, info: e.Info})
	}
	h.announce()
}

// game returns the state of a game, a new one with a seat if it is not known.
func (h *hub) game(id string) *game {
	g := h.games[id]
	if g == nil {
		g = new(game)
		h.seat(id)
		h.games[id] = g
	}
	return g
}

// seat gives a game a place on the page that it keeps, so that nothing moves
// when another game begins or ends: one that was never used or, when there are
// as many as slots, that of the game that ended first.
func (h *hub) seat(id string) {
	i := slices.Index(h.seats, "")
	if i < 0 && len(h.seats) >= h.slots {
		i = h.firstEnded()
	}
	if i < 0 {
		h.seats = append(h.seats, id)
		return
	}
	delete(h.games, h.seats[i])
	h.seats[i] = id
}

// firstEnded returns the seat of the game that ended first, -1 if none is over.
func (h *hub) firstEnded() int {
	first := -1
	for i, id := range h.seats {
		g := h.games[id]
		if g.over && (first < 0 || g.ended < h.games[h.seats[first]].ended) {
			first = i
		}
	}
	return first
}

// change takes in how a game stands. One that is over stays on the page until
// another one takes its place, which may be at once.
func (h *hub) change(v *bot.GameView) {
	ended := over(v.Status)
	if h.games[v.ID] == nil && ended {
		return
	}
	g := h.game(v.ID)
	g.view = *v
	if ended && !g.over {
		h.ended++
		g.over, g.ended, g.search.on = true, h.ended, false
	}
}

// end takes in that a game is over and recorded.
func (h *hub) end(e bot.GameEnded) {
	h.change(&e.GameView)
	if g := h.games[e.ID]; g != nil {
		g.ratingDiff = e.RatingDiff
	}
	h.recorded++
	h.rating += e.RatingDiff // the rating at the game's start may be older than ours
}

// drop takes a game off the page whose end is not known.
func (h *hub) drop(id string) {
	if i := slices.Index(h.seats, id); i >= 0 {
		h.seats[i] = ""
	}
	delete(h.games, id)
}

func (h *hub) search(id string, s search) {
	g := h.games[id]
	if g == nil || g.over {
		return
	}
	if s.on && s.info.Depth > 0 {
		s.on = g.search.on // a search that is no longer waited for may still tell
	}
	h.meter.add(time.Now(), g.search.nodesBefore(s))
	if s.info.Depth == 0 { // it has just begun: the last one's result is better than nothing
		s.info, s.board, s.nodes = g.search.info, g.search.board, 0
	} else {
		s.nodes = s.info.Nodes
	}
	g.search = s
}

// request takes in a request to Lichess.
func (h *hub) request(r Request) {
	if r.Wait <= 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.limits.add(r)
	h.announce()
}

// announce wakes those who wait for a change. The lock is held.
func (h *hub) announce() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// next returns a channel that is closed at the next change.
func (h *hub) next() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed
}

// name returns the account's name, "" while it is not known.
func (h *hub) name() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.account
}

// alive reports whether the event stream is open.
func (h *hub) alive() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.streams.alive
}
