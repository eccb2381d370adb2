//go:build amd64 || arm64

package engine

import "unsafe"

// prefetch loads the bucket of a position into the cache. The table is far larger than any
// cache; prefetched while the move is being made, the bucket is there when the node
// starts.
func (t *transpositionTable) prefetch(key uint64) { prefetchLine(unsafe.Pointer(t.bucket(key))) }

// prefetchLine prefetches the cache line at p.
//
//go:noescape
func prefetchLine(p unsafe.Pointer)
