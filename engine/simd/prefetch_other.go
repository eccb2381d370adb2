//go:build !amd64 && !arm64

package simd

import "unsafe"

// Prefetch does nothing on this processor.
func Prefetch(unsafe.Pointer) {}
