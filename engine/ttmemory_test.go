//go:build unix

package engine

import (
	"runtime"
	"testing"
)

// The table must not be part of the heap, whose size paces garbage collection.
func TestTable_IsOutsideTheGoHeap(t *testing.T) {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const mib = 64
	before := heap()
	tables := []*transpositionTable{newTranspositionTable(mib), newTranspositionTable(mib)}
	if grown := heap() - before; grown > 1<<20 && grown < 1<<40 {
		t.Errorf("tables of %d MiB take %d bytes of the heap", 2*mib, grown)
	}
	last := &tables[0].buckets[len(tables[0].buckets)-1]
	last[bucketSize-1].data.Store(1)
	if len(tables[0].buckets) != mib<<20/64 || tables[0].buckets[0][0].data.Load() != 0 ||
		last[bucketSize-1].data.Load() != 1 {
		t.Error("a table lost its entries or has a wrong size")
	}
	runtime.KeepAlive(tables)
}
