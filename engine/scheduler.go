package engine

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// timeSlice is how long a worker keeps its thread while others of its class wait.
const timeSlice = 5 * time.Millisecond

// scheduler shares a fixed number of threads among the workers of all searches.
//
// Each search has a claim to one thread for its main worker. With more searches than
// threads, the claims take turns: each gets one time slice per round, within a round in
// the order of their deadlines, and a new search joins the current round. So all searches
// get equal shares, and none waits longer than a round. A search that cannot wait for the
// end of a slice ends it early; a search whose time expires in the queue returns what it
// has.
//
// Threads that no main worker needs go to helpers: all of them to the most urgent search,
// without turns. The rest go to pondering. Both yield their thread at once when a main
// worker needs it.
//
// The most urgent search is the one with the earliest deadline. Sharp positions count as
// if they had less time left.
type scheduler struct {
	mu    sync.Mutex
	free  int               // unassigned threads
	round [claimClasses]int // round of the last claim granted, by class
	queue []*claim          // waiting claims, unordered

	// Read by the holders of threads without the lock.
	waiting      [claimClasses]atomic.Int32
	start        time.Time
	nextDeadline atomic.Int64 // deadline of the next claim, in ns since start
}

// claimClass orders claims: a class gets the threads that the earlier classes leave.
type claimClass uint8

const (
	mainClass claimClass = iota
	helperClass
	ponderClass
	claimClasses
)

// claim is a worker's request for a thread, waiting or granted.
type claim struct {
	class     claimClass
	deadline  time.Time     // of the move; zero means none
	round     int           // the round of its turn
	grantedAt time.Time     // when the thread was granted
	held      bool          // whether its worker holds the thread
	granted   chan struct{} // receives when the claim is granted
}

func newScheduler(threads int) *scheduler { return &scheduler{free: threads, start: time.Now()} }

func newClaim(class claimClass, deadline time.Time) *claim {
	return &claim{class: class, deadline: deadline, granted: make(chan struct{}, 1)}
}

// before reports whether claim c is served before d.
func (c *claim) before(d *claim) bool {
	switch {
	case c.class != d.class:
		return c.class < d.class
	case c.class != helperClass && c.round != d.round:
		return c.round < d.round
	case c.deadline.IsZero() || d.deadline.IsZero():
		return d.deadline.IsZero() && !c.deadline.IsZero()
	}
	return c.deadline.Before(d.deadline)
}

// acquire waits for a thread. It returns false if quit is closed first.
func (s *scheduler) acquire(c *claim, quit <-chan struct{}) bool {
	s.mu.Lock()
	c.round = s.round[c.class]
	return s.wait(c, quit)
}

// yield passes the thread to the next claim and waits for its turn. It returns false,
// without a thread, if quit is closed first.
func (s *scheduler) yield(c *claim, quit <-chan struct{}) bool {
	s.mu.Lock()
	c.round++
	c.held = false
	s.free++
	return s.wait(c, quit)
}

// wait queues the claim and waits for its turn. The caller holds s.mu, which wait unlocks.
func (s *scheduler) wait(c *claim, quit <-chan struct{}) bool {
	s.queue = append(s.queue, c)
	s.waiting[c.class].Add(1)
	s.grant()
	s.mu.Unlock()
	select {
	case <-c.granted:
	case <-quit:
		s.cancel(c)
		return false
	}
	c.grantedAt, c.held = time.Now(), true
	return true
}

// cancel removes a claim from the queue, or returns its thread if it was granted
// meanwhile.
func (s *scheduler) cancel(c *claim) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.queue, c); i >= 0 {
		s.waiting[c.class].Add(-1)
		s.queue = slices.Delete(s.queue, i, i+1)
	} else {
		<-c.granted
		s.free++
	}
	s.grant()
}

// release returns the thread of a claim, if it holds one.
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

// shouldYield reports whether the holder of a thread should yield it: at once to an
// earlier class, and to its own class after a time slice, or earlier if the next claim's
// deadline requires it.
func (s *scheduler) shouldYield(c *claim, now time.Time) bool {
	for class := range c.class {
		if s.waiting[class].Load() > 0 {
			return true
		}
	}
	if s.waiting[c.class].Load() == 0 {
		return false
	}
	end := c.grantedAt.Add(timeSlice)
	return !now.Before(end) || s.nextDeadline.Load() < int64(end.Sub(s.start))
}

// grant assigns free threads to the next claims. The caller holds s.mu.
func (s *scheduler) grant() {
	for s.free > 0 && len(s.queue) > 0 {
		i := s.next()
		c := s.queue[i]
		s.waiting[c.class].Add(-1)
		s.queue = slices.Delete(s.queue, i, i+1)
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
	s.nextDeadline.Store(due)
}

// next returns the index of the next claim. The caller holds s.mu.
func (s *scheduler) next() (first int) {
	for i, c := range s.queue {
		if c.before(s.queue[first]) {
			first = i
		}
	}
	return first
}
