package engine

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/rules"
)

// panickingWorker returns a worker that panics when it is used.
func panickingWorker() *worker {
	return &worker{evaluator: new(nnue.Evaluator)}
}

// wantPanic fails the test unless a search returned a legal move and the panic of its
// position.
func wantPanic(t *testing.T, g *rules.Game, r Result, err error) {
	t.Helper()
	p, ok := errors.AsType[*PanicError](err)
	if !ok {
		t.Fatalf("error %v, want a panic", err)
	}
	if p.FEN != g.Position().FEN() || p.Value == nil || !strings.Contains(string(p.Stack), "panic") {
		t.Errorf("the panic says %v\n%s", p, p.Stack)
	}
	if !g.Position().IsLegal(r.Move) {
		t.Errorf("%s is not legal", r.Move)
	}
}

// checkIntact fails the test unless the engine has all its threads and can search.
func checkIntact(t *testing.T, e *Engine) {
	t.Helper()
	e.helpers.Wait()
	if e.sched.free != e.threads || len(e.sched.queue) != 0 || e.running != 0 || len(e.ponderSlots) != 0 {
		t.Errorf("left over: %d of %d threads free, %d claims, %d searches, %d ponders",
			e.sched.free, e.threads, len(e.sched.queue), e.running, len(e.ponderSlots))
	}
	mustSearch(t, e, newGame(t, start), Limits{Depth: 4})
}

// A panic of the main worker ends its search and leaves the engine intact.
func TestSearch_MainWorkerPanics(t *testing.T) {
	for name, l := range map[string]Limits{
		"by depth": {Depth: 8}, "on a clock": {White: time.Minute}, "pondering": {Ponder: true},
		"endless": {Infinite: true},
	} {
		t.Run(name, func(t *testing.T) {
			e, g := New(Options{Threads: 2, HashMB: 1}), newGame(t, start)
			e.idle = append(e.idle, panickingWorker())
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			r, err := e.Search(ctx, g, l, nil)
			wantPanic(t, g, r, err)
			if endless := l.Ponder || l.Infinite; endless && ctx.Err() == nil {
				t.Error("it returned before it was cancelled")
			}
			checkIntact(t, e)
		})
	}
}

// After a panic while a line is reported, the search returns the best line so far.
func TestSearch_PanicKeepsBestLine(t *testing.T) {
	for _, lines := range []int{0, 3} {
		e, g := New(Options{Threads: 2, HashMB: 1}), newGame(t, start)
		var best Info
		r, err := e.Search(t.Context(), g, Limits{Depth: 20, MultiPV: lines}, func(i Info) {
			if i.MultiPV <= 1 {
				best = i
			}
			if i.MultiPV == lines && i.Depth == 5 {
				panic("at the last line")
			}
		})
		wantPanic(t, g, r, err)
		if r.Move != best.PV[0] || r.Info.Depth != 5 || r.Info.Score != best.Score {
			t.Errorf("of %d lines returned %s at depth %d with %v, the best was %v with %v",
				lines, r.Move, r.Info.Depth, r.Info.Score, best.PV, best.Score)
		}
		checkIntact(t, e)
	}
}

// A panic of a helper is reported; the main worker goes on.
func TestSearch_HelperPanics(t *testing.T) {
	e, g := New(Options{Threads: 2, HashMB: 1}), newGame(t, start)
	good := newWorker(nnue.Default())
	e.idle = append(e.idle, good, panickingWorker()) // the longest idle one searches
	found := make(chan struct{})
	var once sync.Once
	r, err := e.Search(t.Context(), g, Limits{Depth: 7}, func(Info) {
		once.Do(func() { // wait for the helper
			go func() { e.helpers.Wait(); close(found) }()
			<-found
		})
	})
	wantPanic(t, g, r, err)
	if r.Info.Depth != 7 {
		t.Errorf("the search ended at depth %d", r.Info.Depth)
	}
	checkIntact(t, e)
}

// A panic does not affect other searches, even on a single thread.
func TestSearch_PanicDoesNotAffectOtherSearches(t *testing.T) {
	e := New(Options{Threads: 1, HashMB: 1})
	var searches sync.WaitGroup
	for i := range 20 {
		searches.Go(func() {
			g, panics := newGame(t, start), i%2 == 0
			r, err := e.Search(context.Background(), g, Limits{Depth: 5}, func(i Info) {
				if panics && i.Depth == 3 {
					panic("at depth 3")
				}
			})
			if panics != (err != nil) || !g.Position().IsLegal(r.Move) || !panics && r.Info.Depth != 5 {
				t.Errorf("search %d: %s at depth %d, %v", i, r.Move, r.Info.Depth, err)
			}
		})
	}
	searches.Wait()
	checkIntact(t, e)
}

// A plain search uses neither the network of the engine, nor the table, nor the idle workers.
func TestSearch_Plain(t *testing.T) {
	e, g := New(Options{Threads: 2, HashMB: 1, Network: new(nnue.Network)}), newGame(t, richPockets)
	r, err := e.Search(t.Context(), g, Limits{White: time.Minute}, nil)
	wantPanic(t, g, r, err)
	e.table.buckets = nil
	e.helpers.Wait()
	idle := len(e.idle) // 1 if the helper was stopped before it panicked
	r = mustSearch(t, e, g, Limits{White: time.Minute, Plain: true})
	if r.Info.Depth == 0 || r.Info.Depth > plainDepth {
		t.Errorf("searched %d plies", r.Info.Depth)
	}
	if len(e.idle) != idle {
		t.Error("a plain search used an idle worker, or its own is reused")
	}
}
