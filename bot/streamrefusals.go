package bot

import (
	"errors"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// streamRefusals remembers since when the server refuses a game's stream. What
// stands before it answers 400, 403 or 404 for a moment now and then, so only a
// refusal that persists ends a game.
type streamRefusals struct{ since time.Time }

// exceeded notes how an opening failed, and reports whether the server has refused
// for so long, and nothing but refused.
func (r *streamRefusals) exceeded(err error, most time.Duration, now time.Time) bool {
	var api *lichess.APIError
	if !errors.As(err, &api) || api.StatusCode < 400 || api.StatusCode >= 500 {
		r.since = time.Time{}
		return false
	}
	if r.since.IsZero() {
		r.since = now
	}
	return now.Sub(r.since) >= most
}

// clear forgets the refusals: the server has opened the stream.
func (r *streamRefusals) clear() { r.since = time.Time{} }
