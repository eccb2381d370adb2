package bot

import (
	"strings"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// stateOrder finds which of two states is the newer one. The server reads the game
// for the first event of a connection before it subscribes to its moves, and ends
// the older connection in between: a line that came after the new one was asked for
// may be newer than what the new one begins with.
type stateOrder struct {
	latest     *lichess.GameState // handed over; nil if none
	receivedAt time.Time          // when it did
}

// admit reports whether an event is to be handed over. The first event of a
// connection gets the newest state if it brings an older one; of a connection that
// was superseded only what goes beyond the newest state is news.
func (o *stateOrder) admit(w *streamItem, superseded bool) bool {
	s := stateOf(w.event)
	switch {
	case s == nil:
		return true
	case s.Status.Over() || o.latest == nil:
	case superseded:
		if !extends(s.Moves, o.latest.Moves) {
			return false
		}
	default:
		if full, first := w.event.(*lichess.GameFull); first && w.connectedAt.Before(o.receivedAt) && extends(o.latest.Moves, s.Moves) {
			newest := *full
			newest.State = *o.latest
			w.event, w.receivedAt = &newest, o.receivedAt
			return true
		}
	}
	o.latest, o.receivedAt = s, w.receivedAt
	return true
}

// extends reports whether a move list goes on where another ends.
func extends(moves, before string) bool {
	rest, found := strings.CutPrefix(moves, before)
	return found && rest != "" && (before == "" || rest[0] == ' ')
}
