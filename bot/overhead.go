package bot

import (
	"slices"
	"sync"
	"time"
)

// overhead learns what a move loses between the engine's decision and the
// server's clock. Bots get no lag compensation, so it is measured: from the
// post to the line of the game stream that shows the move.
type overhead struct {
	mu      sync.Mutex
	floor   time.Duration
	samples []time.Duration // the newest, as a ring
	next    int
}

// overheadWindow is how many round trips are remembered, over all games.
const overheadWindow = 200

func newOverhead(floor time.Duration) *overhead { return &overhead{floor: floor} }

// add takes a measured round trip.
func (o *overhead) add(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.samples) < overheadWindow {
		o.samples = append(o.samples, d)
		return
	}
	o.samples[o.next] = d
	o.next = (o.next + 1) % overheadWindow
}

// mean returns the usual loss of a move, at least the configured floor.
func (o *overhead) mean() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.samples) == 0 {
		return o.floor
	}
	sum := time.Duration(0)
	for _, d := range o.samples {
		sum += d
	}
	return max(o.floor, sum/time.Duration(len(o.samples)))
}

// worst returns a loss that 99 of 100 moves stay under.
func (o *overhead) worst() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.samples) == 0 {
		return o.floor
	}
	sorted := slices.Sorted(slices.Values(o.samples))
	return max(o.floor, sorted[(len(sorted)-1)*99/100])
}

// shortClock is the time left under which only the worst case is safe.
const shortClock = 10 * time.Second

// forClock returns what to reckon with, given the time left.
func (o *overhead) forClock(left time.Duration) time.Duration {
	if left < shortClock {
		return o.worst()
	}
	return o.mean()
}
