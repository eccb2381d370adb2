package event

import "time"

// DuplicateDetector detects another program that uses the same token. It counts the ends of
// a stream that another program may have caused. The server keeps one event stream per
// account, and one stream per game: when another program opens it, ours ends cleanly while
// the server answers all other requests. That happens occasionally for other reasons, so
// some ends are tolerated.
type DuplicateDetector struct {
	Backoff   Backoff // how long to leave the stream to the other program
	Tolerated int     // ends that may have another cause

	lastEnd time.Time
	wait    time.Duration
	count   int
}

// window is how long such an end is remembered.
const window = 10 * time.Minute

// StreamEnded records such an end and returns how long to leave the stream to the other
// program, so that the two do not use up each other's openings. Zero means that there may
// be no other program.
func (d *DuplicateDetector) StreamEnded(now time.Time) time.Duration {
	if d.count > 0 && now.Sub(d.lastEnd) > window {
		*d = DuplicateDetector{Backoff: d.Backoff, Tolerated: d.Tolerated}
	}
	d.lastEnd = now
	d.count++
	switch n := d.count - d.Tolerated; {
	case n <= 0:
	case n == 1:
		d.wait = d.Backoff.Initial
	default:
		d.wait = min(2*d.wait, d.Backoff.Max)
	}
	return d.wait
}
