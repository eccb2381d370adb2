package engine

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// at returns a claim whose move is due after d.
func at(class claimClass, d time.Duration) *claim { return newClaim(class, time.Now().Add(d)) }

func TestScheduler_SoonestDeadlineFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(1)
		holder := at(firstWorker, time.Hour)
		s.acquire(holder, nil)
		var order []time.Duration
		for _, d := range []time.Duration{3 * time.Second, time.Second, 2 * time.Second} {
			go func() {
				c := at(firstWorker, d)
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

// Of searches that must move at the same time the sharpest is served first, and
// a helper of the most urgent search comes before all others, turns or not.
func TestScheduler_SharpestFirst(t *testing.T) {
	for _, class := range []claimClass{firstWorker, helper} {
		synctest.Test(t, func(t *testing.T) {
			s := newScheduler(1)
			holder := at(firstWorker, time.Hour)
			s.acquire(holder, nil)
			var order []int
			for _, sharp := range []int{0, 100, -5, 40, 1000} {
				go func() {
					one := search{limits: Limits{Sharpness: sharp}, time: timeManager{start: time.Now(), maximum: time.Second}}
					c := one.newClaim(class)
					s.acquire(c, nil)
					order = append(order, min(max(sharp, 0), sharpest))
					s.release(c)
				}()
				synctest.Wait()
			}
			s.release(holder)
			synctest.Wait()
			if want := []int{100, 100, 40, 0, 0}; !slices.Equal(order, want) {
				t.Errorf("class %d: served in the order %v, want %v", class, order, want)
			}
		})
	}
}

func TestScheduler_HelpersTakeNoTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(1)
		urgent := at(helper, time.Second)
		s.acquire(urgent, nil)
		quit := make(chan struct{})
		served := false
		go func() {
			c := at(helper, time.Minute)
			served = s.acquire(c, quit)
			s.release(c)
		}()
		synctest.Wait()
		for range 3 {
			s.yield(urgent, nil)
			synctest.Wait()
		}
		if served {
			t.Error("a helper of a search that has time was served before")
		}
		s.release(urgent)
		synctest.Wait()
		if !served {
			t.Error("a helper was not served although nobody else wants the thread")
		}
	})
}

func TestScheduler_ClassesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(1)
		holder := at(ponderer, time.Hour)
		s.acquire(holder, nil)
		var order []claimClass
		for _, class := range []claimClass{ponderer, helper, firstWorker} {
			go func() {
				c := at(class, time.Second)
				s.acquire(c, nil)
				order = append(order, class)
				s.release(c)
			}()
			synctest.Wait()
		}
		if !s.wanted(holder, time.Now()) {
			t.Error("a ponderer keeps its thread from a first worker")
		}
		s.release(holder)
		synctest.Wait()
		if want := []claimClass{firstWorker, helper, ponderer}; !slices.Equal(order, want) {
			t.Errorf("served in the order %v, want %v", order, want)
		}
	})
}

// Five searches on two threads, one of them in no hurry, get equal shares.
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
				c := at(firstWorker, due)
				for held := s.acquire(c, quit); held; {
					time.Sleep(time.Millisecond) // search
					used[i] += time.Millisecond
					if s.wanted(c, time.Now()) {
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
			if got < fair-2*slice || got > fair+2*slice {
				t.Errorf("search %d ran %v, want about %v (all: %v)", i, got, fair, used)
			}
		}
		if s.free != threads || len(s.queue) != 0 {
			t.Errorf("at the end %d threads are free and %d claims wait, want %d and 0", s.free, len(s.queue), threads)
		}
	})
}

func TestScheduler_UrgentMoveCutsTheSliceShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(1)
		holder := at(firstWorker, time.Second)
		s.acquire(holder, nil)
		for _, tt := range []struct {
			due    time.Duration
			wanted bool
		}{{time.Second, false}, {slice / 2, true}} {
			quit := make(chan struct{})
			go s.acquire(at(firstWorker, tt.due), quit)
			synctest.Wait()
			if got := s.wanted(holder, time.Now()); got != tt.wanted {
				t.Errorf("thread wanted at once by a move due in %v: %v, want %v", tt.due, got, tt.wanted)
			}
			close(quit)
			synctest.Wait()
		}
	})
}

func TestScheduler_QuitWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(1)
		holder := at(firstWorker, time.Second)
		s.acquire(holder, nil)
		quit, held := make(chan struct{}), true
		go func() { held = s.acquire(at(firstWorker, time.Second), quit) }()
		synctest.Wait()
		close(quit)
		synctest.Wait()
		if held {
			t.Error("a search that ended has a thread")
		}
		s.release(holder)
		if s.free != 1 || s.waiting[firstWorker].Load() != 0 {
			t.Errorf("%d threads free, %d waiting, want 1 and 0", s.free, s.waiting[firstWorker].Load())
		}
	})
}
