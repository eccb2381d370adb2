package soak

import (
	"errors"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// turnSearch is what the searches for one move came to.
type turnSearch struct {
	time time.Duration // of them all
	move rules.Move    // what the last one chose; NoMove for none
}

// watch observes the bot itself: the time of its searches, its reconnects, its panics, and
// the games that it abandoned.
type watch struct {
	mu         sync.Mutex
	searches   map[string]map[int]turnSearch // by game and ply
	reconnects map[string]int                // of "event" and "game" streams
	panics     map[string]int                // by where they were
	asked      int                           // moves that the engine program chose, or our own search if there is none
	fallbacks  map[string]int                // moves that our own search chose in the program's place, by reason
	streamless time.Duration                 // that games were without a stream
	abandoned  []string                      // games, and why
}

func newWatch() *watch {
	return &watch{searches: map[string]map[int]turnSearch{}, reconnects: map[string]int{}, panics: map[string]int{}, fallbacks: map[string]int{}}
}

// observe records an event of the bot.
func (w *watch) observe(e event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := e.(type) {
	case event.Searched:
		if e.Fallback != "" {
			w.fallbacks[string(e.Fallback)]++
		} else if e.Info.Depth > 0 {
			w.asked++
		}
		game := w.searches[e.Game]
		if game == nil {
			game = map[int]turnSearch{}
			w.searches[e.Game] = game
		}
		game[e.Board.Ply()] = turnSearch{time: game[e.Board.Ply()].time + e.Info.Time, move: e.Move}
	case event.StreamLost:
		if e.Game == "" {
			w.reconnects["event"]++
		} else {
			w.reconnects["game"]++
		}
	case event.StreamOpened:
		w.streamless += e.Absent
	case event.Panicked:
		w.panics[e.In]++
	case event.GameAbandoned:
		if errors.Is(e.Err, lichess.ErrNotFound) {
			return // it never began
		}
		w.abandoned = append(w.abandoned, e.Game+": "+e.Err.Error())
	}
}

// searchesOf returns the searches of a game that is over, by ply, and forgets them.
func (w *watch) searchesOf(game string) map[int]turnSearch {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer delete(w.searches, game)
	return w.searches[game]
}
