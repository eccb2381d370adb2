package engine

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// slice is how long a worker keeps its thread while equals wait for one.
const slice = 5 * time.Millisecond

// scheduler shares a fixed number of threads among the workers of all
// searches.
//
// Every search has a claim to one thread for its first worker. When there are
// more searches than threads they take turns: each gets a slice of each round,
// within a round the one that must move soonest goes first, and a new search
// joins the current round. So all searches get equal shares of the processor
// and none waits longer than a round, however many there are. A search that
// could not wait for the end of a slice cuts it short, and one whose time runs
// out in the queue answers with what it has.
//
// Threads that no first worker wants go to the helpers of searches: all of them
// to the most urgent search, without turns, since the others lose nothing that
// they need. What is left goes to pondering. Both give their thread up at once
// when it is wanted.
//
// The most urgent search is the one that must move soonest. A sharp position
// counts as if less time were left for it.
type scheduler struct {
	mu    sync.Mutex
	free  int               // threads that nobody holds
	round [claimClasses]int // round of the last claim granted
	queue []*claim          // claims waiting, in no order

	// What holders of threads look at, without the lock.
	waiting [claimClasses]atomic.Int32
	start   time.Time
	due     atomic.Int64 // deadline of the claim next in line, in ns from start
}

// claimClass orders claims: a class gets only what those before it leave.
type claimClass uint8

const (
	firstWorker claimClass = iota
	helper
	ponderer
	claimClasses
)

// claim is a worker's request for a thread, waiting or granted.
type claim struct {
	class    claimClass
	deadline time.Time     // when the move should be made; zero is never
	rank     time.Time     // the deadline, sooner for a sharp position; zero is never
	round    int           // the turn it waits for
	since    time.Time     // when the thread was granted
	held     bool          // whether its worker has the thread
	granted  chan struct{} // receives when a waiting claim gets its thread
}

func newScheduler(threads int) *scheduler { return &scheduler{free: threads, start: time.Now()} }

func newClaim(class claimClass, deadline time.Time) *claim {
	return &claim{class: class, deadline: deadline, rank: deadline, granted: make(chan struct{}, 1)}
}

// sharpest is the greatest sharpness of a position. Its search ranks as if half
// the time were left.
const sharpest = 100

// newClaim returns a claim to a thread for a worker of the search.
func (s *search) newClaim(class claimClass) *claim {
	c := newClaim(class, s.time.deadline())
	if !c.deadline.IsZero() {
		sharp := time.Duration(min(max(0, s.limits.Sharpness), sharpest))
		c.rank = c.deadline.Add(-s.time.maximum * sharp / (2 * sharpest))
	}
	return c
}

// before reports whether claim c is served before d.
func (c *claim) before(d *claim) bool {
	switch {
	case c.class != d.class:
		return c.class < d.class
	case c.class != helper && c.round != d.round:
		return c.round < d.round
	case c.rank.IsZero() || d.rank.IsZero():
		return d.rank.IsZero() && !c.rank.IsZero()
	}
	return c.rank.Before(d.rank)
}

// acquire waits for a thread. It returns false, without one, once quit is
// closed.
func (s *scheduler) acquire(c *claim, quit <-chan struct{}) bool {
	s.mu.Lock()
	c.round = s.round[c.class]
	return s.wait(c, quit)
}

// yield gives the thread to the next claim in turn and waits for it to come
// back. It returns false, without a thread, once quit is closed.
func (s *scheduler) yield(c *claim, quit <-chan struct{}) bool {
	s.mu.Lock()
	c.round++
	c.held = false
	s.free++
	return s.wait(c, quit)
}

// wait queues the claim and waits for its turn. The caller holds the lock,
// which wait gives up.
func (s *scheduler) wait(c *claim, quit <-chan struct{}) bool {
	s.queue = append(s.queue, c)
	s.waiting[c.class].Add(1)
	s.grant()
	s.mu.Unlock()
	select {
	case <-c.granted:
	case <-quit:
		s.withdraw(c)
		return false
	}
	c.since, c.held = time.Now(), true
	return true
}

// withdraw takes a claim out of the queue, or gives its thread back if it was
// granted at the last moment.
func (s *scheduler) withdraw(c *claim) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.queue, c); i >= 0 {
		s.remove(i)
	} else {
		<-c.granted
		s.free++
	}
	s.grant()
}

// release gives the thread of a claim back, if it holds one.
func (s *scheduler) release(c *claim) {
	if !c.held {
		return
	}
	c.held = false
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free++
	s.grant()
}

// wanted reports whether the holder of a thread should yield it: at once to a
// class before its own, to its own class after a slice, or before that if the
// next in line must move sooner.
func (s *scheduler) wanted(c *claim, now time.Time) bool {
	for class := range c.class {
		if s.waiting[class].Load() > 0 {
			return true
		}
	}
	if s.waiting[c.class].Load() == 0 {
		return false
	}
	end := c.since.Add(slice)
	return !now.Before(end) || s.due.Load() < int64(end.Sub(s.start))
}

// grant hands free threads to the first claims in turn. The lock is held.
func (s *scheduler) grant() {
	for s.free > 0 && len(s.queue) > 0 {
		i := s.next()
		c := s.queue[i]
		s.remove(i)
		s.free--
		s.round[c.class] = max(s.round[c.class], c.round)
		c.granted <- struct{}{}
	}
	due := int64(math.MaxInt64)
	if len(s.queue) > 0 {
		if c := s.queue[s.next()]; !c.deadline.IsZero() {
			due = int64(c.deadline.Sub(s.start))
		}
	}
	s.due.Store(due)
}

// next returns the claim next in line. The lock is held.
func (s *scheduler) next() (first int) {
	for i, c := range s.queue {
		if c.before(s.queue[first]) {
			first = i
		}
	}
	return first
}

// remove takes claim i out of the queue. The lock is held.
func (s *scheduler) remove(i int) {
	last := len(s.queue) - 1
	s.waiting[s.queue[i].class].Add(-1)
	s.queue[i] = s.queue[last]
	s.queue[last] = nil
	s.queue = s.queue[:last]
}
