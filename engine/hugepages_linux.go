package engine

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// useHugePages asks for pages of 2 MiB under the table: its accesses are
// random, and with small pages most of them would miss the translation cache
// too. It is advice, and no loss where the kernel does not take it.
func useHugePages(buckets []bucket) {
	memory := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(buckets))), len(buckets)*int(unsafe.Sizeof(bucket{})))
	_ = unix.Madvise(memory, unix.MADV_HUGEPAGE)
}
