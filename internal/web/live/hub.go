package live

import (
	"slices"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
)

// hub holds the current state of the bot, from its events. It is safe for concurrent
// use; mu is never held during I/O.
type hub struct {
	started time.Time

	mu               sync.Mutex    // for all that follows
	changed          chan struct{} // closed at the next change
	account          string
	rating           int
	network          string
	program          string // that searches instead of ours; "" for none
	draining         bool
	pausedSince      time.Time // zero if the bot is not paused
	pauseKept        bool      // the pause continues after a restart
	secondInstanceAt time.Time // when another program last took over our event stream
	connected        bool      // the event stream is open
	reconnects       int
	rateLimits       int                  // that Lichess has imposed (429)
	blockedUntil     map[string]time.Time // end of the last one, by endpoint
	nps              npsMeter
	boards           []*shownGame // by position on the page; nil for a free slot
	maxGames         int          // the limit on concurrent games, 0 until known
	challenges       challenges
	endedCount       int // games that ended since the program started
	recordedCount    int // those of them that are recorded
}

func newHub() *hub {
	return &hub{
		started: time.Now(), changed: make(chan struct{}), challenges: challenges{},
		blockedUntil: map[string]time.Time{},
	}
}

// observe updates the state by an event.
func (h *hub) observe(e event.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch e := e.(type) {
	case event.LoggedIn:
		h.account, h.rating, h.network = e.Account, e.Rating, e.Network
	case event.EngineReady:
		h.program = e.Program
	case event.RatingShown: // the change by a game may have been missed
		h.rating = e.Rating
	case event.Draining:
		h.draining = true
	case event.Paused:
		h.pausedSince, h.pauseKept = e.Since, e.Keep
	case event.Resumed:
		h.pausedSince = time.Time{}
	case event.SecondInstance:
		h.secondInstanceAt = time.Now()
	case event.StreamOpened:
		if e.Game == "" {
			h.connected = true
		}
		if e.Reopened {
			h.reconnects++
		}
	case event.StreamLost:
		if e.Game == "" {
			h.connected = false
		}
	case event.ChallengeDecided:
		h.challenges.add(e)
	case event.ChallengeSent:
		h.challenges.addSent(e)
	case event.ChallengeClosed:
		h.challenges.resolve(e)
	case event.GameChanged:
		h.updateGame(&e.GameView)
	case event.GameEnded:
		h.endGame(e)
	case event.GameAbandoned:
		h.removeGame(e.Game)
	case event.Searching:
		h.updateSearch(e.Game, latestSearch{board: e.Board, info: e.Info, running: true})
	case event.Searched:
		h.updateSearch(e.Game, latestSearch{board: e.Board, info: e.Info})
	}
	h.notifyChanged()
}

// find returns a game on the page, nil if it is unknown.
func (h *hub) find(id string) *shownGame {
	i := slices.IndexFunc(h.boards, func(g *shownGame) bool { return g != nil && g.view.ID == id })
	if i < 0 {
		return nil
	}
	return h.boards[i]
}

// place gives a game a board slot that it keeps, so that no board moves when another
// game begins or ends. It uses a free slot, then up to maxGames a new one, then the
// slot of the game that ended first, and only then one more.
func (h *hub) place(g *shownGame) {
	i := slices.Index(h.boards, nil)
	if i < 0 && len(h.boards) >= h.maxGames {
		i = h.firstEnded()
	}
	if i < 0 {
		h.boards = append(h.boards, g)
	} else {
		h.boards[i] = g
	}
}

// firstEnded returns the slot of the game that ended first, -1 if none has ended. No
// slot is free.
func (h *hub) firstEnded() int {
	first := -1
	for i, g := range h.boards {
		if g.over && (first < 0 || g.endOrder < h.boards[first].endOrder) {
			first = i
		}
	}
	return first
}

// updateGame stores the state of a game. A finished game stays on the page until
// another one takes its slot.
func (h *hub) updateGame(v *event.GameView) {
	g, ended := h.find(v.ID), v.Status.Over()
	switch {
	case g == nil && ended:
		return
	case g == nil:
		g = new(shownGame)
		h.place(g)
	}
	g.view = *v
	if ended && !g.over {
		h.endedCount++
		g.over, g.endOrder, g.search.running = true, h.endedCount, false
	}
}

// endGame marks a game as finished and recorded.
func (h *hub) endGame(e event.GameEnded) {
	h.updateGame(&e.GameView)
	if g := h.find(e.ID); g != nil {
		g.ratingDiff = e.RatingDiff
	}
	h.recordedCount++
	h.rating += e.RatingDiff // the rating in the game is that at its start
}

// removeGame removes a game whose end is unknown.
func (h *hub) removeGame(id string) {
	if g := h.find(id); g != nil {
		h.boards[slices.Index(h.boards, g)] = nil
	}
}

func (h *hub) updateSearch(id string, s latestSearch) {
	g := h.find(id)
	if g == nil || g.over {
		return
	}
	if s.running && s.info.Depth > 0 {
		s.running = g.search.running // a cancelled search may still report
	}
	h.nps.add(time.Now(), g.search.newNodes(s))
	if s.info.Depth == 0 { // it has just begun: keep the previous result
		s.info, s.board, s.nodes = g.search.info, g.search.board, 0
	} else {
		s.nodes = s.info.Nodes
	}
	g.search = s
}

// request records the rate limit of a request to Lichess, if any.
func (h *hub) request(r lichess.Observation) {
	if r.Wait <= 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rateLimits++
	h.blockedUntil[r.Endpoint] = time.Now().Add(r.Wait)
	h.notifyChanged()
}

// notifyChanged wakes those who wait for a change. mu is held.
func (h *hub) notifyChanged() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// accountName returns the name of the account, "" before login.
func (h *hub) accountName() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.account
}

// isConnected reports whether the event stream is open.
func (h *hub) isConnected() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.connected
}
