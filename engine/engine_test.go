package engine

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/rules"
)

func TestEngine_WorkerKeepsHistoryWithinGame(t *testing.T) {
	e := newTestEngine()
	g := newGame(t, "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R[] w KQkq - 0 1")
	mustSearch(t, e, g, Limits{Depth: 5})
	worker := e.idle[0]
	if worker.history == (history{}) {
		t.Fatal("the search left no history")
	}

	if err := g.PlayUCI("e1g1", "e8g8"); err != nil { // after which nothing before can be repeated
		t.Fatal(err)
	}
	if w := e.acquireWorker(g.AllKeys()); w != worker || w.history == (history{}) {
		t.Error("the next search of the same game starts without history")
	} else {
		e.releaseWorker(w)
	}
	for _, reply := range []string{"a7a6", "b7b6"} { // pondered on, and played
		next := g.Clone()
		if err := next.PlayUCI("a2a3", reply); err != nil {
			t.Fatal(err)
		}
		w := e.acquireWorker(next.AllKeys())
		if w.history == (history{}) {
			t.Errorf("the search after %s starts without history", reply)
		}
		e.releaseWorker(w)
	}
	if w := e.acquireWorker(newGame(t, richPockets).AllKeys()); w != worker || w.history != (history{}) {
		t.Error("another game starts with this game's history")
	}
}

// A new game takes the worker that was idle for longest, not that of a game in progress.
func TestEngine_WorkerOfTheOldestGame(t *testing.T) {
	e := newTestEngine()
	var workers [2]*worker
	keys := func(n uint64) []uint64 { return []uint64{n} }
	for i := range workers {
		workers[i] = e.acquireWorker(keys(uint64(i)))
	}
	for _, w := range workers {
		e.releaseWorker(w)
	}
	for game := uint64(2); game < 4; game++ {
		if w := e.acquireWorker(keys(game)); w != workers[0] {
			t.Errorf("game %d takes the worker of another in progress", game)
		} else {
			e.releaseWorker(w)
		}
		w := e.acquireWorker(keys(1))
		if w != workers[1] {
			t.Errorf("beside game %d, game 1 has another worker", game)
		}
		e.releaseWorker(w)
	}
}

// A helper may still start when its search has returned and the game goes on. The race
// detector finds what they share.
func TestEngine_GameChangesAfterSearch(t *testing.T) {
	e := New(Options{Threads: 8, HashMB: 1})
	g := rules.NewGame(rules.StartPosition())
	moves := []string{"e2e4", "e7e5", "g1f3", "b8c6", "f1c4"}
	for range 50 {
		if err := g.PlayUCI(moves...); err != nil {
			t.Fatal(err)
		}
		for range moves {
			mustSearch(t, e, g, Limits{Depth: 1})
			g.TakeBack(1)
		}
	}
}

// Workers are large: even if many searches wait for a thread at once, few are created and
// kept.
func TestEngine_KeepsFewIdleWorkers(t *testing.T) {
	e := New(Options{Threads: 2, HashMB: 1})
	var searches sync.WaitGroup
	for range 200 {
		searches.Go(func() {
			r, err := e.Search(context.Background(), rules.NewGame(rules.StartPosition()), Limits{Nodes: 200}, nil)
			if err != nil || r.Move == rules.NoMove {
				t.Errorf("%v, %v", r.Move, err)
			}
		})
	}
	searches.Wait()
	if n := len(e.idle); n == 0 || n > maxIdle+e.threads {
		t.Errorf("%d idle workers", n)
	}
	e.Clear()
	if n := len(e.idle); n == 0 {
		t.Error("Clear dropped the idle workers")
	}
}

// Engines that share threads search on no more than these, and leave nothing in each
// other's table.
func TestEngine_NewSharing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New(Options{Threads: 1, HashMB: 1})
		other := e.NewSharing(1, nnue.Default())
		holder := newClaim(mainClass, time.Time{})
		if !e.sched.acquire(holder, nil) {
			t.Fatal("no thread is free")
		}
		g := rules.NewGame(rules.StartPosition())
		found := make(chan Result, 1)
		go func() {
			r, err := other.Search(t.Context(), g, Limits{Depth: 3}, nil)
			if err != nil {
				t.Error(err)
			}
			found <- r
		}()
		if synctest.Wait(); len(found) > 0 {
			t.Fatalf("searched without a thread: %+v", <-found)
		}
		e.sched.release(holder)
		if r := <-found; r.Info.Depth != 3 {
			t.Errorf("searched to depth %d, want 3", r.Info.Depth)
		}
		key := g.Position().Key()
		if _, known := other.table.probe(key, 0); !known {
			t.Error("the search left nothing in its table")
		}
		if _, known := e.table.probe(key, 0); known {
			t.Error("the search is in the table of the other engine")
		}
	})
}

// With more ponder searches than threads, all end when they are cancelled, and only one
// worker per thread is created.
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
		t.Errorf("%d workers were created, want 1", n)
	}
}

// A search in the background gets no thread while another search needs it.
func TestEngine_Background(t *testing.T) {
	e := New(Options{Threads: 1, HashMB: 1})
	game := rules.NewGame(rules.StartPosition())
	main, end := context.WithCancel(t.Context())
	background, give := context.WithCancel(t.Context())
	limits := Limits{Depth: 2, Background: true}
	var searches sync.WaitGroup
	searches.Go(func() {
		_, err := e.Search(main, game, Limits{Infinite: true}, func(i Info) {
			switch i.Depth {
			case 3:
				searches.Go(func() {
					if r, err := e.Search(background, game.Clone(), limits, nil); err != nil || r.Info.Depth != 0 {
						t.Errorf("beside another search: %+v, %v", r, err)
					}
					end()
				})
			case 7:
				give()
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
	searches.Wait()
	if r, err := e.Search(t.Context(), game, limits, nil); err != nil || r.Info.Depth != 2 {
		t.Errorf("alone: %+v, %v", r, err)
	}
}
