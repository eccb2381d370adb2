//go:build amd64 || arm64

package simd

import "unsafe"

// Prefetch loads the cache line at p into the cache.
//
//go:noescape
func Prefetch(p unsafe.Pointer)
