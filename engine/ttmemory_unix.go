//go:build unix

package engine

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// allocate gives the table its memory, from the system rather than from Go's heap:
// the collector paces itself by the size of the heap, and would let as much
// garbage gather as the table is large. The memory goes back with the table.
func (t *table) allocate(buckets int) {
	memory, err := unix.Mmap(-1, 0, buckets*int(unsafe.Sizeof(bucket{})), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.buckets = make([]bucket, buckets) // as good, but for the collector
		return
	}
	useHugePages(memory)
	t.buckets = unsafe.Slice((*bucket)(unsafe.Pointer(unsafe.SliceData(memory))), buckets)
	runtime.AddCleanup(t, func(memory []byte) { _ = unix.Munmap(memory) }, memory)
}
