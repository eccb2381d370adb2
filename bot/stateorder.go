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
	last *lichess.GameState // handed over; nil if none
	came time.Time          // when it did
}

// admit reports whether an event is to be handed over. The first event of a
// connection gets the newest state if it brings an older one; of a connection that
// was superseded only what goes beyond the newest state is news.
func (o *stateOrder) admit(w *word, superseded bool) bool {
	s := stateOf(w.event)
	switch {
	case s == nil:
		return true
	case s.Status.Over() || o.last == nil:
	case superseded:
		if !extends(s.Moves, o.last.Moves) {
			return false
		}
	default:
		if full, first := w.event.(*lichess.GameFull); first && w.opened.Before(o.came) && extends(o.last.Moves, s.Moves) {
			newest := *full
			newest.State = *o.last
			w.event, w.came = &newest, o.came
			return true
		}
	}
	o.last, o.came = s, w.came
	return true
}

// extends reports whether a move list goes on where another ends.
func extends(moves, before string) bool {
	rest, found := strings.CutPrefix(moves, before)
	return found && rest != "" && (before == "" || rest[0] == ' ')
}
