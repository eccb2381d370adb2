package bot

import "time"

// rivalry recognises another program that uses the same token. The server keeps
// one event stream for each account, and one stream for each game: when the other
// program opens it, ours ends in good order while the server answers everything
// else. That happens now and then without anybody's doing, so some ends in a while
// are tolerated.
type rivalry struct {
	pauses    pauses
	tolerated int // ends that may be nobody's doing
	last      time.Time
	wait      time.Duration
	ends      int
}

// rivalWindow is how long such an end is remembered.
const rivalWindow = 10 * time.Minute

// ended notes such an end and returns for how long to leave the stream to the
// other program: the two would use up each other's openings. Zero means that it
// may be nobody.
func (r *rivalry) ended(now time.Time) time.Duration {
	if r.ends > 0 && now.Sub(r.last) > rivalWindow {
		*r = rivalry{pauses: r.pauses, tolerated: r.tolerated}
	}
	r.last = now
	r.ends++
	switch n := r.ends - r.tolerated; {
	case n <= 0:
	case n == 1:
		r.wait = r.pauses.first
	default:
		r.wait = min(2*r.wait, r.pauses.longest)
	}
	return r.wait
}
