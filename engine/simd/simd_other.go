//go:build !amd64

package simd

// No instructions of other processors are used.
const AVX2, AVX512, VNNI = false, false, false

// MaxIndex returns the index of the first maximum of the scores, which must not be empty.
func MaxIndex(scores []int32) int { return maxIndexPortable(scores) }
