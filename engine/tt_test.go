package engine

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

func TestEntry_PackKeepsEverything(t *testing.T) {
	for _, e := range []entry{
		{},
		{move: rules.NewDrop(rules.Queen, rules.H8), score: mateIn(1), depth: 127, bound: exactBound},
		{move: rules.NewMove(rules.E1, rules.H1), score: matedIn(2), depth: 0, bound: upperBound},
		{score: -1, bound: lowerBound},
	} {
		data := e.pack(generations - 1)
		if got := unpack(data); got != e {
			t.Errorf("unpack(pack(%+v)) = %+v", e, got)
		}
		if g := data >> 58; g != generations-1 {
			t.Errorf("generation = %d, want %d", g, generations-1)
		}
	}
}

func TestTable_Clear(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 16} {
		tab := newTranspositionTable(1)
		for i := range tab.buckets {
			tab.buckets[i][0].data.Store(1)
		}
		tab.clear(threads)
		for i := range tab.buckets {
			if tab.buckets[i][0].data.Load() != 0 {
				t.Fatalf("%d threads: bucket %d of %d is not empty", threads, i, len(tab.buckets))
			}
		}
	}
}

func TestTable_MatesAreCountedFromThePosition(t *testing.T) {
	tab := newTranspositionTable(1)
	// Five plies from the root, a mate three plies further on.
	tab.store(1, entry{score: mateIn(8), depth: 1, bound: exactBound}, 5)
	if got, _ := tab.probe(1, 2); got.score != mateIn(5) {
		t.Errorf("two plies from the root the mate scores %d, want %d", got.score, mateIn(5))
	}
	tab.store(2, entry{score: matedIn(9), depth: 1, bound: exactBound}, 5)
	if got, _ := tab.probe(2, 0); got.score != matedIn(4) {
		t.Errorf("at the root the mate scores %d, want %d", got.score, matedIn(4))
	}
}

func TestTable_Replacement(t *testing.T) {
	tab := &transpositionTable{buckets: make([]bucket, 1)}
	for key := range uint64(bucketSize) {
		tab.store(key+1, entry{depth: int(key) + 3, bound: exactBound}, 0)
	}
	tab.store(99, entry{depth: 1, bound: exactBound}, 0)
	if _, found := tab.probe(1, 0); found {
		t.Error("the shallowest entry was not replaced")
	}
	if _, found := tab.probe(99, 0); !found {
		t.Error("the new entry is missing")
	}

	// A deep entry two generations old is worth less than a shallow new one.
	tab.store(bucketSize, entry{depth: 8, bound: exactBound}, 0)
	tab.newGeneration()
	tab.newGeneration()
	for key := range uint64(bucketSize) {
		tab.store(key+200, entry{depth: 1, bound: exactBound}, 0)
	}
	if _, found := tab.probe(bucketSize, 0); found {
		t.Error("an old entry outlived new ones")
	}
}

func TestTable_DeeperEntryStays(t *testing.T) {
	tab := newTranspositionTable(1)
	deep := entry{score: 50, depth: 10, bound: lowerBound}
	tab.store(7, deep, 0)
	tab.store(7, entry{score: 10, depth: 2, bound: upperBound}, 0)
	if got, _ := tab.probe(7, 0); got != deep {
		t.Errorf("after a shallow bound: %+v, want %+v", got, deep)
	}
	exact := entry{score: 30, depth: 2, bound: exactBound}
	tab.store(7, exact, 0)
	if got, _ := tab.probe(7, 0); got != exact {
		t.Errorf("after an exact score: %+v, want %+v", got, exact)
	}
}

func TestTable_TornEntryIsRejected(t *testing.T) {
	tab := newTranspositionTable(1)
	tab.store(7, entry{score: 1, depth: 1, bound: exactBound}, 0)
	// Another worker has stored its data, but not yet its check.
	slot := &tab.bucket(7)[0]
	slot.data.Store(entry{score: 2, depth: 9, bound: exactBound}.pack(0))
	if got, found := tab.probe(7, 0); found {
		t.Errorf("a torn entry was accepted: %+v", got)
	}
}

// Workers that use one bucket concurrently must only find what was stored for their key.
// Run it with the race detector.
func TestTable_ConcurrentUse(t *testing.T) {
	tab := &transpositionTable{buckets: make([]bucket, 1)}
	var wg sync.WaitGroup
	for seed := range uint64(4) {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 0))
			for range 20_000 {
				key := rng.Uint64N(32) + 1
				score := int(key) * 10
				tab.store(key, entry{score: score, depth: rng.IntN(20), bound: exactBound}, 0)
				key = rng.Uint64N(32) + 1
				if e, found := tab.probe(key, 0); found && e.score != int(key)*10 {
					t.Errorf("key %d: got entry %+v of another key", key, e)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestTable_PermilleFull(t *testing.T) {
	tab := newTranspositionTable(1)
	if full := tab.hashFull(); full != 0 {
		t.Errorf("empty table: %d permille full", full)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 * len(tab.buckets) {
		tab.store(rng.Uint64(), entry{depth: 1, bound: exactBound}, 0)
	}
	if full := tab.hashFull(); full < 990 {
		t.Errorf("overfilled table: %d permille full", full)
	}
	tab.newGeneration()
	if full := tab.hashFull(); full != 0 {
		t.Errorf("entries of the last generation count: %d permille", full)
	}
}

// A mate that was found far from the root stays one wherever it is read.
func TestScoreFromTable_MatesStayMates(t *testing.T) {
	for stored := -mateScore; stored <= mateScore; stored++ {
		for ply := range maxPly {
			_, isMate := Score(stored).MateIn()
			if _, got := Score(scoreFromTable(stored, ply)).MateIn(); got != isMate {
				t.Fatalf("%d at ply %d is %d", stored, ply, scoreFromTable(stored, ply))
			}
		}
	}
}
