//go:build amd64 || arm64

package engine

import "unsafe"

// prefetch begins to fetch the entries of a position. A table is far larger
// than any cache: asked for while the move is still being made, they are there
// when the node begins.
func (t *table) prefetch(key uint64) { prefetchLine(unsafe.Pointer(t.bucket(key))) }

// prefetchLine fetches the cache line at p.
//
//go:noescape
func prefetchLine(p unsafe.Pointer)
