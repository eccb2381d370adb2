package bot

import (
	"time"

	"github.com/zhbot/zhbot/bot/retry"
)

// duplicateDetector recognises another program that uses the same token. The server
// keeps one event stream per account, and one stream per game: when another program
// opens it, ours ends cleanly while the server answers all other requests. That
// happens occasionally for other reasons, so some ends are tolerated.
type duplicateDetector struct {
	backoff   retry.Backoff
	tolerated int // ends that may have another cause
	lastEnd   time.Time
	wait      time.Duration
	count     int
}

// duplicateWindow is how long such an end is remembered.
const duplicateWindow = 10 * time.Minute

// streamEnded records such an end and returns how long to leave the stream to the
// other program, so that the two do not use up each other's openings. Zero means
// that there may be no other program.
func (r *duplicateDetector) streamEnded(now time.Time) time.Duration {
	if r.count > 0 && now.Sub(r.lastEnd) > duplicateWindow {
		*r = duplicateDetector{backoff: r.backoff, tolerated: r.tolerated}
	}
	r.lastEnd = now
	r.count++
	switch n := r.count - r.tolerated; {
	case n <= 0:
	case n == 1:
		r.wait = r.backoff.Initial
	default:
		r.wait = min(2*r.wait, r.backoff.Max)
	}
	return r.wait
}
