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

func TestScheduler_SoonestDeadlineFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(1)
		holder := dueIn(mainClass, time.Hour)
		s.acquire(holder, nil)
		var order []time.Duration
		for _, d := range []time.Duration{3 * time.Second, time.Second, 2 * time.Second} {
			go func() {
				c := dueIn(mainClass, d)
				s.acquire(c, nil)
				order = append(order, d)
				s.release(c)
			}()
			synctest.Wait()
		}
		s.release(holder)
		synctest.Wait()
		if want := []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}; !slices.Equal(order, want) {
			t.Errorf("served in the order %v, want %v", order, want)
		}
	})
}

func TestScheduler_HelpersDoNotTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(1)
		urgent := dueIn(helperClass, time.Second)
		s.acquire(urgent, nil)
		quit := make(chan struct{})
		served := false
		go func() {
			c := dueIn(helperClass, time.Minute)
			served = s.acquire(c, quit)
			s.release(c)
		}()
		synctest.Wait()
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

func TestScheduler_ClassesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(1)
		holder := dueIn(ponderClass, time.Hour)
		s.acquire(holder, nil)
		var order []claimClass
		for _, class := range []claimClass{ponderClass, helperClass, mainClass} {
			go func() {
				c := dueIn(class, time.Second)
				s.acquire(c, nil)
				order = append(order, class)
				s.release(c)
			}()
			synctest.Wait()
		}
		if !s.shouldYield(holder, time.Now()) {
			t.Error("a ponder search does not yield to a main worker")
		}
		s.release(holder)
		synctest.Wait()
		if want := []claimClass{mainClass, helperClass, ponderClass}; !slices.Equal(order, want) {
			t.Errorf("served in the order %v, want %v", order, want)
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
		s := newScheduler(1)
		holder := dueIn(mainClass, time.Second)
		s.acquire(holder, nil)
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
		s := newScheduler(1)
		holder := dueIn(mainClass, time.Second)
		s.acquire(holder, nil)
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
			go func() {
				c := dueIn(class, time.Minute)
				s.acquire(c, nil)
				moved = true
				s.release(c)
			}()
			synctest.Wait()
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
