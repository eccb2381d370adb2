package gamestream

import (
	"errors"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// refusals tracks since when the server refuses a game's stream. Its proxies
// occasionally answer 400, 403 or 404 for a moment, so only a persistent refusal
// ends a game.
type refusals struct{ since time.Time }

// exceeded records a failed opening, and reports whether the server has only refused
// for so long.
func (r *refusals) exceeded(err error, most time.Duration, now time.Time) bool {
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

// clear resets the refusals: the stream was opened.
func (r *refusals) clear() { r.since = time.Time{} }
