//go:build unix

package engine

import (
	"runtime"
	"testing"
)

// The collector paces itself by the heap, of which the table must be no part; and
// what tables took is given back.
func TestTable_LiesOutsideTheHeap(t *testing.T) {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const mib = 64
	before := heap()
	tables := []*table{newTable(mib), newTable(mib)}
	if grown := heap() - before; grown > 1<<20 && grown < 1<<40 {
		t.Errorf("tables of %d MiB take %d bytes of the heap", 2*mib, grown)
	}
	last := &tables[0].buckets[len(tables[0].buckets)-1]
	last[bucketSize-1].data.Store(1)
	if len(tables[0].buckets) != mib<<20/64 || tables[0].buckets[0][0].data.Load() != 0 || last[bucketSize-1].data.Load() != 1 {
		t.Error("a table is not what it should be")
	}
	runtime.KeepAlive(tables)
}
