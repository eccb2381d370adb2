//go:build unix

package engine

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// allocate allocates the memory of the table from the operating system, since on Go's heap
// its size would delay garbage collection. The memory is returned when the table is
// collected.
func (t *transpositionTable) allocate(buckets int) {
	memory, err := unix.Mmap(-1, 0, buckets*int(unsafe.Sizeof(bucket{})), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.buckets = make([]bucket, buckets) // fall back to the heap
		return
	}
	useHugePages(memory)
	t.buckets = unsafe.Slice((*bucket)(unsafe.Pointer(unsafe.SliceData(memory))), buckets)
	runtime.AddCleanup(t, func(memory []byte) { _ = unix.Munmap(memory) }, memory)
}
