package stream

import (
	"strings"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// stateOrder finds which of two states is newer. The server reads the game for the
// first event of a connection before it subscribes to its moves, and ends the older
// connection in between: a line that arrived after the new connection was requested
// may be newer than its first event.
type stateOrder struct {
	latest     *lichess.GameState // delivered; nil if none
	receivedAt time.Time          // when it did
}

// admit reports whether an event is to be delivered. The first event of a connection
// gets the newest state if its own is older; an event of a superseded connection is
// delivered only if it goes beyond the newest state. Nothing is newer than the end.
func (o *stateOrder) admit(item *Item, superseded bool) bool {
	s := stateOf(item.Event)
	switch {
	case s == nil:
		return true
	case s.Status.Over() || o.latest == nil:
	case superseded:
		if !extends(s.Moves, o.latest.Moves) {
			return false
		}
	default:
		older := o.latest.Status.Over() || item.ConnectedAt.Before(o.receivedAt) && extends(o.latest.Moves, s.Moves)
		if full, first := item.Event.(*lichess.GameFull); first && older {
			newest := *full
			newest.State = *o.latest
			item.Event, item.ReceivedAt = &newest, o.receivedAt
			return true
		}
	}
	o.latest, o.receivedAt = s, item.ReceivedAt
	return true
}

// extends reports whether a move list continues another.
func extends(moves, before string) bool {
	rest, found := strings.CutPrefix(moves, before)
	return found && rest != "" && (before == "" || rest[0] == ' ')
}

// stateOf returns the state that an event contains, nil if none.
func stateOf(e lichess.GameEvent) *lichess.GameState {
	switch e := e.(type) {
	case *lichess.GameFull:
		return &e.State
	case *lichess.GameState:
		return e
	}
	return nil
}
