package engine

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// dueIn returns a claim with a deadline after d.
func dueIn(class claimClass, d time.Duration) *claim { return newClaim(class, time.Now().Add(d)) }

// busyScheduler returns a scheduler with one thread, which a claim holds.
func busyScheduler(class claimClass, d time.Duration) (*scheduler, *claim) {
	s, holder := newScheduler(1), dueIn(class, d)
	s.acquire(holder, nil)
	return s, holder
}

// enqueue has a claim wait for a thread, which it releases after served.
func enqueue(s *scheduler, c *claim, served func()) {
	go func() {
		s.acquire(c, nil)
		served()
		s.release(c)
	}()
	synctest.Wait()
}

// Main workers are served first, among them the one with the soonest deadline.
func TestScheduler_Order(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, holder := busyScheduler(mainClass, time.Hour)
		var order []int
		for i, c := range []*claim{
			dueIn(ponderClass, time.Second), dueIn(helperClass, time.Second),
			dueIn(mainClass, 3*time.Second), dueIn(mainClass, time.Second), dueIn(mainClass, 2*time.Second),
		} {
			enqueue(s, c, func() { order = append(order, i) })
		}
		s.release(holder)
		synctest.Wait()
		if want := []int{3, 4, 2, 1, 0}; !slices.Equal(order, want) {
			t.Errorf("served in the order %v, want %v", order, want)
		}
	})
}

func TestScheduler_HelpersDoNotTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, urgent := busyScheduler(helperClass, time.Second)
		served := false
		enqueue(s, dueIn(helperClass, time.Minute), func() { served = true })
		for range 3 {
			s.yield(urgent, nil)
			synctest.Wait()
		}
		if served {
			t.Error("a less urgent helper was served")
		}
		s.release(urgent)
		synctest.Wait()
		if !served {
			t.Error("a helper was not served although the thread is free")
		}
	})
}

// Five searches on two threads, one with a late deadline, get equal shares.
func TestScheduler_EqualShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const games, threads, length = 5, 2, 2 * time.Second
		s := newScheduler(threads)
		quit := make(chan struct{})
		var used [games]time.Duration
		var wg sync.WaitGroup
		for i := range games {
			wg.Go(func() {
				due := length
				if i == 0 {
					due = time.Hour
				}
				c := dueIn(mainClass, due)
				for held := s.acquire(c, quit); held; {
					time.Sleep(time.Millisecond) // search
					used[i] += time.Millisecond
					if s.shouldYield(c, time.Now()) {
						held = s.yield(c, quit)
					}
					select {
					case <-quit:
						s.release(c)
						return
					default:
					}
				}
			})
		}
		time.Sleep(length)
		close(quit)
		wg.Wait()
		fair := length * threads / games
		for i, got := range used {
			if got < fair-2*timeSlice || got > fair+2*timeSlice {
				t.Errorf("search %d ran %v, want about %v (all: %v)", i, got, fair, used)
			}
		}
		if s.free != threads || len(s.queue) != 0 {
			t.Errorf("at the end %d threads are free and %d claims wait, want %d and 0", s.free, len(s.queue), threads)
		}
	})
}

func TestScheduler_UrgentMoveEndsTimeSlice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, holder := busyScheduler(mainClass, time.Second)
		for _, tt := range []struct {
			due   time.Duration
			yield bool
		}{{time.Second, false}, {timeSlice / 2, true}} {
			quit := make(chan struct{})
			go s.acquire(dueIn(mainClass, tt.due), quit)
			synctest.Wait()
			if got := s.shouldYield(holder, time.Now()); got != tt.yield {
				t.Errorf("yield to a move due in %v: %v, want %v", tt.due, got, tt.yield)
			}
			close(quit)
			synctest.Wait()
		}
	})
}

func TestScheduler_QuitWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, holder := busyScheduler(mainClass, time.Second)
		quit, held := make(chan struct{}), true
		go func() { held = s.acquire(dueIn(mainClass, time.Second), quit) }()
		synctest.Wait()
		close(quit)
		synctest.Wait()
		if held {
			t.Error("a cancelled claim was granted")
		}
		s.release(holder)
		if s.free != 1 || s.waiting[mainClass].Load() != 0 {
			t.Errorf("%d threads free, %d waiting, want 1 and 0", s.free, s.waiting[mainClass].Load())
		}
	})
}

// A ponder search that holds the only thread yields it to the move of another game.
func TestScheduler_PonderingYieldsToAnyMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(1)
		ponders := newClaim(ponderClass, time.Time{})
		s.acquire(ponders, nil)
		if s.shouldYield(ponders, time.Now().Add(time.Hour)) {
			t.Error("a thread that nobody else needs is to be yielded")
		}
		for _, class := range []claimClass{mainClass, helperClass} {
			moved := false
			enqueue(s, dueIn(class, time.Minute), func() { moved = true })
			if !s.shouldYield(ponders, time.Now()) {
				t.Errorf("class %d waits for a ponder search", class)
			}
			s.yield(ponders, nil)
			synctest.Wait()
			if !moved {
				t.Errorf("class %d was not served before the ponder search", class)
			}
		}
	})
}
