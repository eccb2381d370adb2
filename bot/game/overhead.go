package game

import (
	"slices"
	"sync"
	"time"
)

const (
	// overheadWindow is how many round trips are remembered, over all games.
	overheadWindow = 200
	// longestLag is the longest round trip that is counted. Longer ones include retries
	// or waits, and say nothing about the next move.
	longestLag = 2 * time.Second
)

// overheadEstimator estimates the overhead of a move from round trips: the time from the post to
// the stream line that shows the move. Lichess gives bots no lag compensation, so this
// time is charged. It is safe for concurrent use.
type overheadEstimator struct {
	minimum time.Duration // the configured estimate

	mu        sync.Mutex
	samples   []time.Duration // as they came, the oldest first
	mean, p99 time.Duration   // of the samples
}

// newOverheadEstimator returns an estimator whose estimate is never less than the configured one.
func newOverheadEstimator(minimum time.Duration) *overheadEstimator {
	return &overheadEstimator{minimum: minimum}
}

// add records a measured round trip.
func (o *overheadEstimator) add(lag time.Duration) {
	if lag < 0 || lag > longestLag {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.samples = append(o.samples, lag)
	n := min(len(o.samples), overheadWindow)
	o.samples = slices.Delete(o.samples, 0, len(o.samples)-n)
	var sum time.Duration
	for _, sample := range o.samples {
		sum += sample
	}
	o.mean, o.p99 = sum/time.Duration(n), slices.Sorted(slices.Values(o.samples))[(n*99-1)/100]
}

// estimate returns the mean and the 99th percentile. It is called while our clock runs,
// so it only looks up what add has computed.
func (o *overheadEstimator) estimate() (mean, p99 time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return max(o.minimum, o.mean), max(o.minimum, o.p99)
}

// shortClock is the time left under which more than the mean is assumed: not the worst case, as
// it would be planned for all of the moves to come.
const shortClock = 10 * time.Second

// forClock returns the overhead to assume per move, given the time left.
func (o *overheadEstimator) forClock(left time.Duration) time.Duration {
	mean, p99 := o.estimate()
	if left < shortClock {
		return min(p99, 2*mean)
	}
	return mean
}
