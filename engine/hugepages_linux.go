package engine

import "golang.org/x/sys/unix"

// useHugePages advises the kernel to back the table with pages of 2 MiB: its accesses are
// random, and with small pages most of them would miss the TLB.
func useHugePages(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }
