package engine

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/rules"
)

// More searches ponder than there are threads; all end when they are cancelled,
// and no more memory is used than for one on each thread.
func TestEngine_PondersAtMostOncePerThread(t *testing.T) {
	e := New(Options{Threads: 1, HashMB: 1})
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	pondering := make(chan struct{}, 5)
	for range 5 {
		all.Go(func() {
			first := true
			_, err := e.Search(ctx, rules.NewGame(rules.StartPosition()), Limits{Ponder: true}, func(Info) {
				if first {
					first = false
					pondering <- struct{}{}
				}
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	<-pondering
	cancel()
	all.Wait()
	if n := len(e.idle); n != 1 {
		t.Errorf("%d workers were made, want 1", n)
	}
}

// A ponderer that holds the only thread gives it up to a move of another game.
func TestScheduler_PonderingYieldsToAnyMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(1)
		ponders := newClaim(ponderer, time.Time{})
		s.acquire(ponders, nil)
		if s.wanted(ponders, time.Now().Add(time.Hour)) {
			t.Error("a thread that nobody else needs is wanted")
		}
		for _, class := range []claimClass{firstWorker, helper} {
			moved := false
			go func() {
				c := at(class, time.Minute)
				s.acquire(c, nil)
				moved = true
				s.release(c)
			}()
			synctest.Wait()
			if !s.wanted(ponders, time.Now()) {
				t.Errorf("class %d waits for a ponderer", class)
			}
			s.yield(ponders, nil)
			synctest.Wait()
			if !moved {
				t.Errorf("class %d was not served before the ponderer", class)
			}
		}
	})
}
