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
	mu            sync.Mutex    // for all that follows
	changed       chan struct{} // closed at the next change
	bot           botPart       // but for what status adds
	nps           npsMeter
	boards        []*shownGame // by position on the page; nil for a free slot
	maxGames      int          // the limit on concurrent games, 0 until known
	challenges    challenges
	endedCount    int // games that ended since the program started
	recordedCount int // those of them that are recorded
}

func newHub(o *Options) *hub {
	return &hub{
		changed: make(chan struct{}), challenges: challenges{},
		bot: botPart{Site: o.Site, Version: o.Version, Threads: o.Threads, Started: time.Now().UnixMilli()},
	}
}

// observe updates the state by an event.
func (h *hub) observe(e event.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch e := e.(type) {
	case event.LoggedIn:
		h.bot.Account, h.bot.Rating, h.bot.Network = e.Account, e.Rating, e.Network
	case event.EngineReady:
		h.bot.Program = e.Program
	case event.RatingShown: // the change by a game may have been missed
		h.bot.Rating = e.Rating
	case event.Draining:
		h.bot.Draining = true
	case event.Paused:
		h.bot.PausedSince, h.bot.PauseKept = e.Since.UnixMilli(), e.Keep
	case event.Resumed:
		h.bot.PausedSince, h.bot.PauseKept = 0, false
	case event.Duplicate:
		now := time.Now()
		taken := &takenPart{now.UnixMilli(), now.Add(e.RetryIn).UnixMilli()}
		if e.Game == "" {
			h.bot.EventsTaken = taken
		} else {
			h.bot.GamesTaken = taken
		}
	case event.StreamOpened:
		if e.Game == "" {
			h.bot.Alive = true
		}
		if e.Reopened {
			h.bot.Reconnects++
		}
	case event.StreamLost:
		if e.Game == "" {
			h.bot.Alive = false
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
	case event.BacklogChanged:
		e.Reason = "" // it names files
		h.bot.Records = e.Backlog
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
	g.view, g.san = *v, nil
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
	h.bot.Rating += e.RatingDiff // the rating in the game is that at its start
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
	h.bot.Waits++
	now := time.Now()
	h.bot.Blocked = append(slices.DeleteFunc(h.blocked(now), func(l limitPart) bool { return l.Endpoint == r.Endpoint }),
		limitPart{r.Endpoint, now.Add(r.Wait).UnixMilli()})
	h.notifyChanged()
}

// notifyChanged wakes those who wait for a change. mu is held.
func (h *hub) notifyChanged() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// state returns what is known of the bot by its events alone.
func (h *hub) state() botPart {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bot
}
