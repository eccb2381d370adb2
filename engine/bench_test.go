package engine

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/zhbot/zhbot/rules"
)

func TestBench_Deterministic(t *testing.T) {
	var nodes [2]uint64
	for i := range nodes {
		r, err := Bench(t.Context(), 4)
		if err != nil {
			t.Fatal(err)
		}
		nodes[i] = r.Nodes
	}
	if nodes[0] != nodes[1] || nodes[0] == 0 {
		t.Errorf("two runs searched %d and %d nodes", nodes[0], nodes[1])
	}
}

func TestBench_RefusesBadDepth(t *testing.T) {
	for _, depth := range []int{-1, 0, maxPly} {
		if _, err := Bench(t.Context(), depth); err == nil {
			t.Errorf("depth %d: no error", depth)
		}
	}
}

func BenchmarkSearch_FixedNodes(b *testing.B) {
	const nodes = 100_000
	e := New(Options{Threads: 1, HashMB: 16})
	for name, fen := range map[string]string{"start": start, "rich_pockets": richPockets} {
		b.Run(name, func(b *testing.B) {
			g := newGame(b, fen)
			for b.Loop() {
				e.Clear()
				mustSearch(b, e, g, Limits{Nodes: nodes})
			}
			b.ReportMetric(nodes*float64(b.N)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}

func BenchmarkClear(b *testing.B) {
	for _, threads := range []int{1, 2, 8} {
		b.Run(fmt.Sprint(threads), func(b *testing.B) {
			tab := newTranspositionTable(1024)
			tab.clear(threads) // the first time the memory is mapped
			b.SetBytes(1 << 30)
			for b.Loop() {
				tab.clear(threads)
			}
		})
	}
}

// BenchmarkSearch_CancelLatency measures how long a search takes to return after its
// context is cancelled, while one search runs on each core and as many wait for a thread.
func BenchmarkSearch_CancelLatency(b *testing.B) {
	cores := runtime.NumCPU()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores + 2)) // as zhbot run does
	e := New(Options{Threads: cores, HashMB: 64})
	background, cancel := context.WithCancel(context.Background())
	var others sync.WaitGroup
	for range 2*cores - 1 {
		others.Go(func() {
			if _, err := e.Search(background, newGame(b, richPockets), Limits{Infinite: true}, nil); err != nil {
				b.Error(err)
			}
		})
	}
	g := newGame(b, richPockets)
	var latencies []time.Duration
	for b.Loop() {
		latencies = append(latencies, cancelled(b, e, g))
	}
	cancel()
	others.Wait()
	slices.Sort(latencies)
	for name, permille := range map[string]int{"p50-ms": 500, "p99-ms": 990} {
		at := latencies[len(latencies)*permille/1000]
		b.ReportMetric(at.Seconds()*1000, name)
	}
}

// cancelled cancels a search after 20 ms and returns how long it takes to return.
func cancelled(b *testing.B, e *Engine, g *rules.Game) time.Duration {
	ctx, cancel := context.WithCancel(context.Background())
	var at time.Time
	time.AfterFunc(20*time.Millisecond, func() {
		at = time.Now()
		cancel()
	})
	if _, err := e.Search(ctx, g, Limits{Infinite: true}, nil); err != nil {
		b.Fatal(err)
	}
	return time.Since(at)
}
