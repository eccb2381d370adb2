package bot

import "time"

// duplicateDetector recognises another program that uses the same token. The server keeps
// one event stream for each account, and one stream for each game: when the other
// program opens it, ours ends in good order while the server answers everything
// else. That happens now and then without anybody's doing, so some ends in a while
// are tolerated.
type duplicateDetector struct {
	backoff   backoffRange
	tolerated int // ends that may be nobody's doing
	lastEnd   time.Time
	wait      time.Duration
	count     int
}

// duplicateWindow is how long such an end is remembered.
const duplicateWindow = 10 * time.Minute

// streamEnded notes such an end and returns for how long to leave the stream to the
// other program: the two would use up each other's openings. Zero means that it
// may be nobody.
func (r *duplicateDetector) streamEnded(now time.Time) time.Duration {
	if r.count > 0 && now.Sub(r.lastEnd) > duplicateWindow {
		*r = duplicateDetector{backoff: r.backoff, tolerated: r.tolerated}
	}
	r.lastEnd = now
	r.count++
	switch n := r.count - r.tolerated; {
	case n <= 0:
	case n == 1:
		r.wait = r.backoff.initial
	default:
		r.wait = min(2*r.wait, r.backoff.max)
	}
	return r.wait
}
