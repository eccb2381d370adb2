package engine

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// maxIndex returns the index of the first maximum of the scores, which must not be empty.
func maxIndex(scores []int32) int {
	if len(scores) < 16 || !hasAVX2 {
		return maxIndexPortable(scores)
	}
	return maxIndexAVX2(scores)
}

// maxIndexAVX2 is maxIndexPortable for at least eight scores.
//
//go:noescape
func maxIndexAVX2(scores []int32) int
