package bot

import "time"

// rivalry recognises another program that uses the same token. The server keeps
// one event stream for each account: when the other program opens it, ours ends
// in good order while the server answers everything else. That happens now and
// then without anybody's doing, so only the second time in a while tells.
type rivalry struct {
	pauses pauses
	last   time.Time
	wait   time.Duration
	ends   int
}

// rivalWindow is how long such an end is remembered.
const rivalWindow = 10 * time.Minute

// ended notes such an end and returns for how long to leave the stream to the
// other program: the two would use up each other's openings. Zero means that it
// may be nobody.
func (r *rivalry) ended(now time.Time) time.Duration {
	if r.ends > 0 && now.Sub(r.last) > rivalWindow {
		*r = rivalry{pauses: r.pauses}
	}
	r.last = now
	r.ends++
	switch r.ends {
	case 1:
	case 2:
		r.wait = r.pauses.first
	default:
		r.wait = min(2*r.wait, r.pauses.longest)
	}
	return r.wait
}
