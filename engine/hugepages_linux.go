package engine

import "golang.org/x/sys/unix"

// useHugePages asks for pages of 2 MiB under the table: its accesses are
// random, and with small pages most of them would miss the translation cache
// too. It is advice, and no loss where the kernel does not take it.
func useHugePages(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }
